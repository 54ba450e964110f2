// grade_speed [STUDENTS [JOBS]] grades a generated class, and prints the number of grades per
// minute. All sources differ and the caches are empty, so that every submission is compiled and
// judged.

#include <chrono>
#include <cstdio>
#include <thread>

#include "base/files.h"
#include "grader/tests/generated_class.h"
#include "grader/tests/programs.h"

using coalesce::TemporaryFolder;
using namespace coalesce::grader;
namespace fs = std::filesystem;

static Ended must(const std::vector<std::string>& command) {
    Ended ended = run_to_end(command);
    if (ended.code != 0) throw std::runtime_error(ended.output);
    return ended;
}

int main(int argc, char** argv) {
    int students = argc > 1 ? std::atoi(argv[1]) : 200;
    int jobs =
        argc > 2 ? std::atoi(argv[2]) : static_cast<int>(std::thread::hardware_concurrency());
    try {
        TemporaryFolder folder;
        std::string grade = fs::read_symlink("/proc/self/exe").parent_path() / "grade";
        std::string assignments = folder / "assignments";
        generate_class(COALESCE_REPOSITORY, folder / "class", {"03_tiled"}, students, 2);
        must({grade, "assignment", "new", "speed", "--exercises", "03", "--folder", assignments});
        auto begin = std::chrono::steady_clock::now();
        Ended ended = must({grade, "run", "speed", "--folder", assignments, "--submissions",
                            folder / "class", "--jobs", std::to_string(jobs), "--quiet"});
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        std::printf("%s", ended.output.c_str());
        std::printf(
            "%d students, 03_tiled, %d jobs, everything included: %.1f s, %.0f grades per minute\n",
            students, jobs, seconds.count(), 60 * students / seconds.count());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "grade_speed: %s\n", error.what());
        return 1;
    }
}
