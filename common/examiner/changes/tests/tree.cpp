// exercise_changes -- searches for the change that makes each wrong kernel of an exercise pass, and
// compares it with the expected one.
//
//     exercise_changes 03_tiled [FILE...]     all wrong kernels of the exercise, or these
//     exercise_changes --every 4 03_tiled     every fourth wrong kernel
//     exercise_changes --open 03_tiled        prints the changes and the times
//     exercise_changes --any 03_tiled         the same, also if the rules have found the cause
//
// The wrong kernels are the files in solutions/NN_name/wrong/. expected.txt lists the changes to
// find, in lines of the form "FILE: SENTENCE". Kernels that are not listed are skipped, unless files
// are given, or --open or --any: then the program prints all changes and compares nothing. Exit
// code: 0 if all changes are as expected, 1 if some are not, 2 if the kernels could not be examined.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <sstream>

#include "base/files.h"
#include "examiner/changes/search.h"
#include "examiner/exercises/examined.h"
#include "examiner/exercises/tests/sample.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

const fs::path solutions = COALESCE_REPOSITORY "/solutions";

/// What to do with the kernels.
struct Task {
    std::string exercise;
    std::vector<fs::path> files;
    bool includes_explained = false;  ///< whether to search even if the rules found the cause
    bool is_compared = true;          ///< whether to compare the changes with expected.txt
};

/// Reads expected.txt: the expected sentence of each file.
std::map<std::string, std::string> expected_changes() {
    std::map<std::string, std::string> expected;
    std::istringstream lines(read_file(CHANGE_TESTS "/expected.txt"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(".cu: ");
        if (colon == std::string::npos) continue;
        expected[line.substr(0, colon + 3)] = line.substr(colon + 5);
    }
    return expected;
}

/// Examines a kernel, searches for a change, and returns the sentence, or "" if none was found.
std::string find_change(const fs::path& file, const Task& task, const fs::path& cache) {
    const std::string text = read_file(file);
    const bool is_of_hunt = text.find("\n// of: the bug hunt\n") != std::string::npos;
    const std::string name = task.exercise + (is_of_hunt ? " hunt" : "");
    const Exercise& exercise = require_exercise(name);
    const Source source = make_source(text, file.filename());
    const auto start = Clock::now();
    const Verdict verdict = examine_source(exercise, source, cache);
    const auto examined = Clock::now();
    const bool is_open = changes::is_worth_searching(verdict);
    if (!is_open && !(task.includes_explained && verdict.ptx != "" && !verdict.passed())) return "";
    // Allow so much time that only the number of changes ends the search, so that the result does
    // not depend on the computer's load.
    changes::SearchOptions options{.passes = [&](const Source& changed) {
        return examine_source(exercise, changed, cache).passed();
    }};
    options.time = std::chrono::seconds(100);
    const auto found = changes::find_passing_change(source, exercise, verdict, options);
    const auto milliseconds = [](auto time) {
        return static_cast<int>(std::chrono::duration<double, std::milli>(time).count());
    };
    if (!task.is_compared) {
        std::printf("%s %s: %s line %d, %d + %d ms: %s\n", file.filename().c_str(),
                    is_open ? "open" : "explained", verdict.failure_id().c_str(),
                    verdict.failures.front().place.line, milliseconds(examined - start),
                    milliseconds(Clock::now() - examined), found ? found->sentence.c_str() : "-");
        std::fflush(stdout);
    }
    return found ? found->sentence : "";
}

int run(Task task, Sample sample) {
    const TemporaryFolder cache;
    const std::map<std::string, std::string> expected = expected_changes();
    int failed = 0;
    for (const fs::path& file : task.files) {
        const std::string name = fs::absolute(file).lexically_relative(solutions).string();
        const auto wanted = expected.find(name);
        if (task.is_compared && wanted == expected.end()) continue;
        if (!sample.takes_next()) continue;
        const std::string found = find_change(file, task, cache.path);
        if (!task.is_compared || found == wanted->second) continue;
        std::printf("%s: found \"%s\", expected \"%s\"\n", name.c_str(), found.c_str(),
                    wanted->second.c_str());
        ++failed;
    }
    return failed > 0 ? 1 : 0;
}

int main(int argc, char** argv) {
    choose_device_from_environment(argv);
    std::vector<std::string> words(argv + 1, argv + argc);
    const Sample sample = sample_of(words);
    Task task;
    if (!words.empty() && (words[0] == "--any" || words[0] == "--open")) {
        task.includes_explained = words[0] == "--any";
        task.is_compared = false;
        words.erase(words.begin());
    }
    if (words.empty())
        throw UsageError("Usage: exercise_changes [--every N] [--any] 03_tiled [FILE...]");
    task.exercise = words[0];
    task.files.assign(words.begin() + 1, words.end());
    if (!task.files.empty()) task.is_compared = false;
    if (task.files.empty()) {
        for (const auto& entry : fs::directory_iterator(solutions / task.exercise / "wrong")) {
            task.files.push_back(entry.path());
        }
        std::sort(task.files.begin(), task.files.end());
    }
    return run(std::move(task), sample);
}

}  // namespace
}  // namespace coalesce::exercises

int main(int argc, char** argv) {
    try {
        return coalesce::exercises::main(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
