// Tests that the kernel in every file of failures/ fails as expected: with the failure that the
// file's name states, and at a marked line.
//
// A file's name begins with the identifier of its failure, which may be followed by a dot and more
// text. The first lines of the file describe its mistake. A line such as "// request: store 4" sets
// a limit that the kernel exceeds. The failure may refer to any line that ends in "// here". If the
// file has no such line, the failure may refer to any line or none.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "base/enum_names.h"
#include "examined.h"
#include "examiner/messages.h"
#include "harness/counters.h"
#include "harness/text.h"
#include "scratch_folder.h"

using namespace coalesce;
using namespace coalesce::tests;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(KERNEL_TESTS) / "failures";

std::vector<fs::path> failing_files() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::string expected_id(const fs::path& file) {
    const std::string name = file.filename().string();
    return name.substr(0, name.find('.'));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// Returns the exercise for a file, with the limits that the file sets. A line such as
/// "// request: store 4" sets one limit. The line "// request: solution" limits the costs to those
/// of solution.cu.
Exercise exercise_in(const std::string& text, fs::path& solution) {
    Exercise exercise = transpose_within({});
    const std::string mark = "// request: ";
    for (const std::string& line : lines_of(text)) {
        if (!line.starts_with(mark)) continue;
        std::istringstream words(line.substr(mark.size()));
        std::string name;
        words >> name;
        if (name == "solution") {
            solution = fs::path(KERNEL_TESTS) / "solution.cu";
            continue;
        }
        const auto* limit = std::find_if(std::begin(kLimits), std::end(kLimits),
                                         [&](const auto& one) { return name == one.first; });
        REQUIRE(limit != std::end(kLimits));
        words >> exercise.limits.*limit->second;
        REQUIRE(!words.fail());
    }
    return exercise;
}

std::vector<int> marked_lines(const std::string& text) {
    std::vector<int> marked;
    const std::vector<std::string> lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].ends_with("// here")) marked.push_back(static_cast<int>(i) + 1);
    }
    return marked;
}

void check_form(const Failure& failure) {
    CHECK(!failure.headline.empty());
    CHECK(!failure.advice.empty());
    for (const std::string& line : lines_of(terminal_text(failure))) {
        CAPTURE(line);
        CHECK(line.size() <= 80);
        CHECK(line.find("/learner/") == line.npos);
    }
}

/// Reports whether the failure has a different identifier or line if clang compiled the kernel.
bool differs_by_clang(const std::string& name) {
    static const std::set<std::string> files = {
        "does-not-compile.open_brace.cu",  // clang names the next function
        "endless-loop.in_configure.cu",    // clang's empty loop looks like a thread that waits
        "endless-loop.printing.cu",        // clang attributes the loop to the line of its function
        "not-simulated.cu",                // clang names the first line of the statement
        "uninitialised-read.cu"};          // clang omits stores of unwritten values
    return files.contains(name);
}

}  // namespace

TEST_CASE("each kernel fails with the failure in its file name, at a marked line") {
    REQUIRE(simulator_library::is_loaded());
    const ScratchFolder cache;
    const std::vector<fs::path> files = failing_files();
    REQUIRE(files.size() >= 50);
    for (const fs::path& file : files) {
        CAPTURE(file.filename().string());
        const Source source = read_source(file, file.filename().string());
        fs::path solution;
        const Exercise exercise = exercise_in(source.text, solution);
        const Verdict found = examined(source, exercise, solution, {.cache = cache.path()});
        INFO(terminal_text(found));
        CHECK(found.outcome == Verdict::Outcome::failed);
        REQUIRE(!found.failures.empty());
        if (found.compiler.starts_with("clang") && differs_by_clang(source.name)) continue;
        CHECK(found.failure_id() == expected_id(file));
        const Failure& first = found.failures.front();
        check_form(first);
        CHECK(first.place.file == source.name);
        const std::vector<int> marked = marked_lines(source.text);
        if (marked.empty()) continue;
        CHECK(std::find(marked.begin(), marked.end(), first.place.line) != marked.end());
    }
}

TEST_CASE("every failure has a test, here or elsewhere") {
    const std::set<std::string> elsewhere = {
        // Tested in source_test.cpp.
        "file-missing", "file-unreadable", "file-empty", "file-binary", "file-too-large",
        // Tested in compile_test.cpp.
        "compile-time-out", "no-compiler", "not-translated",
        // Tested in examine_test.cpp.
        "environment-problem", "wrong-block-order",
        // Tested by exercise_cases.
        "too-many-requests", "lanes-idle", "needless-atomics", "multiprocessors-idle",
        "loads-not-overlapped", "copies-not-async", "copies-not-overlapped",
        // Tested by the grader's corpus tests and class tests.
        "no-file", "two-files", "two-submissions", "not-a-file", "archive-too-large",
        "archive-encrypted", "archive-broken", "archive-hostile", "ptx-refused", "ptx-too-large",
        "ptx-forged", "compiler-out-of-memory", "compiler-crashed", "launch-out-of-memory",
        "launch-out-of-time", "grader-fault",
        // These failures are caused only by a real GPU or by a bug in the simulator.
        "kernel-failed",
        // Tested by the cases of the exercises, in solutions/*/wrong.
        "copy-not-waited-for", "copy-not-committed", "copy-too-short", "too-much-work",
        "grid-exchanged", "elements-left-out",
        // Tested by the cases in solutions/x_*/wrong.
        "inputs-left-out", "inputs-repeated", "beyond-tolerance", "wrong-elements",
        "too-many-atomics",
        // Tested by the mutants and cases of the exercise that is a whole program.
        "program-failed", "not-launched", "launch-exchanged", "not-copied", "wrong-element",
        "launch-not-checked", "comparison-wrong", "memory-leaked"};
    std::set<std::string> seen;
    for (const fs::path& file : failing_files()) seen.insert(expected_id(file));
    std::set<std::string> faults;
    for (int i = 0; i <= static_cast<int>(last_of(Fault{})); ++i) {
        faults.insert(dashed_name(static_cast<Fault>(i)));
    }
    for (const std::string& id : all_failure_ids()) {
        CAPTURE(id);
        // The tests of the harness already contain a kernel for each fault that the harness
        // reports.
        if (faults.count(id)) continue;
        const std::size_t places = seen.count(id) + elsewhere.count(id);
        CHECK(places == 1);
    }
    const std::vector<std::string> ids = all_failure_ids();
    for (const std::string& id : seen) {
        CAPTURE(id);
        CHECK(std::find(ids.begin(), ids.end(), id) != ids.end());
    }
}
