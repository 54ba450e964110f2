#include "learn/paths.h"

#include <cstdlib>

#include "base/errors.h"

namespace coalesce::learn {

namespace fs = std::filesystem;

fs::path repository() {
    const char* course_folder = std::getenv("COALESCE_COURSE");
    if (course_folder != nullptr && *course_folder != '\0')
        return fs::absolute(course_folder).lexically_normal();
    return COALESCE_REPOSITORY;
}

fs::path learners_folder() {
    return repository() / ".learn";
}

fs::path this_program() {
    // If the program is rebuilt while this process is running, for example during `learn watch`,
    // the new program has the same path.
    const std::string deleted = " (deleted)";
    std::string path = fs::read_symlink("/proc/self/exe");
    if (path.ends_with(deleted)) path.erase(path.size() - deleted.size());
    return path;
}

fs::path programs_folder() {
    return this_program().parent_path();
}

fs::path program_path(const std::string& step) {
    return programs_folder() / step;
}

fs::path require_built(const fs::path& program) {
    if (fs::exists(program)) return program;
    throw UsageError(program.string() + " has not been built; ./learn build builds it");
}

void require_file(const std::string& file) {
    if (!file.empty() && !fs::exists(file)) throw UsageError("there is no file " + file);
}

fs::path checks_program() {
    return programs_folder() / "exercise_checks";
}

}  // namespace coalesce::learn
