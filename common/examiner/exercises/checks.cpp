#include "examiner/exercises/checks.h"

#include <cstdio>
#include <exception>

#include "base/child.h"
#include "base/errors.h"
#include "base/files.h"
#include "examiner/exercises/examined.h"
#include "examiner/render.h"
#include "harness/device.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;

// The number of files that were examined, and the number of files that could not be examined. A
// program that examined nothing must not report success.
int examined = 0, not_examined = 0;

// Returns the path of the file within the repository, for use in messages.
std::string display_path(const fs::path& file) {
    fs::path inside = fs::absolute(file).lexically_normal().lexically_relative(repository());
    return inside.empty() || *inside.begin() == ".." ? file.string() : inside.string();
}

void write_if_requested(const Verdict& verdict) {
    std::string file = environment_variable_or("COALESCE_VERDICT", "");
    try {
        if (!file.empty()) write_file(file, to_json(verdict));
    } catch (const UsageError& error) {
        ++not_examined;  // the verdict would be lost
        FAIL_CHECK(std::string(error.what()));
    }
}

int run(int argc, char** argv) {
    doctest::Context context(argc, argv);
    context.setOption("no-intro", true);
    Device device = choose_device_from_environment(argv);
    std::puts(device.first_line().c_str());
    int result = context.run();
    if (context.shouldExit()) return result;  // --help, --list-test-cases ...
    if (not_examined > 0) return 2;
    if (examined == 0) {
        std::fputs("Nothing was examined: no test case has that name (--list-test-cases).\n",
                   stderr);
        return 2;
    }
    return result;
}

}  // namespace

Verdict examine_exercise(const std::string& name) {
    const Exercise& exercise = require_exercise(name);
    fs::path exercise_path = repository() / "exercises" / exercise.name / exercise.file();
    fs::path file = environment_variable_or("COALESCE_KERNEL", exercise_path.string());
    Verdict verdict = examine_source(exercise, read_source(file, display_path(file)),
                                     environment_variable_or("COALESCE_CACHE", ""));
    ++(verdict.outcome == Verdict::Outcome::not_examined ? not_examined : examined);
    std::puts((verdict.file + ":\n" + terminal_text(verdict)).c_str());
    write_if_requested(verdict);
    return verdict;
}

}  // namespace coalesce::exercises

int main(int argc, char** argv) {
    try {
        return coalesce::exercises::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
