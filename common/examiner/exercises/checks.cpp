#include "examiner/exercises/checks.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "base/child.h"
#include "base/errors.h"
#include "base/files.h"
#include "examiner/changes/search.h"
#include "examiner/exercises/examined.h"
#include "examiner/exercises/skeleton.h"
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

// Returns the lines that the skeleton and the solution of an exercise have in common: the learner
// did not have to write them. In a bug hunt, they are the lines without a bug.
std::vector<std::string> list_given_lines(const Exercise& exercise) {
    const fs::path file = repository() / "solutions" / exercise.name / exercise.file();
    std::vector<std::string> lines;
    try {
        for (const Segment& segment : parse_skeleton(read_file(file), file.string()).segments) {
            if (segment.is_marked) continue;
            lines.insert(lines.end(), segment.solved_lines.begin(), segment.solved_lines.end());
        }
    } catch (const UsageError&) {
        return {};  // without a solution, the mistake may be in any line
    }
    return lines;
}

// If COALESCE_SEARCH_MS is set and the rules leave the cause of a failure open, searches for the
// change that makes the kernel pass, and writes the verdict again with this change. The verdict has
// already been written, so it is not lost if this process is stopped.
void search_if_requested(const Exercise& exercise, const Source& source, const fs::path& cache,
                         Verdict& verdict) {
    const int time = std::atoi(environment_variable_or("COALESCE_SEARCH_MS", "0").c_str());
    if (time <= 0 || !changes::is_worth_searching(verdict)) return;
    verdict.passing_change =
        changes::find_passing_change(source, exercise, verdict,
                                     {.time = std::chrono::milliseconds(time),
                                      .given_lines = list_given_lines(exercise),
                                      .passes = [&](const Source& changed) {
                                          return examine_source(exercise, changed, cache).passed();
                                      }});
    if (verdict.passing_change) write_if_requested(verdict);
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
    const Source source = read_source(file, display_path(file));
    const fs::path cache = environment_variable_or("COALESCE_CACHE", "");
    Verdict verdict = examine_source(exercise, source, cache);
    ++(verdict.outcome == Verdict::Outcome::not_examined ? not_examined : examined);
    std::puts((verdict.file + ":\n" + terminal_text(verdict)).c_str());
    write_if_requested(verdict);
    search_if_requested(exercise, source, cache, verdict);
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
