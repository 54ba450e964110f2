// exercise_cases -- examines kernels as learners would write them, and compares each verdict with
// the expected one.
//
//     exercise_cases 03_tiled [FILE...]     all kernels of the exercise, or these, with verdicts
//     exercise_cases --every 4 03_tiled     every fourth kernel
//
// The kernels in solutions/NN_name/right/ are correct but written in different ways. All of them
// must pass. Each file in solutions/NN_name/wrong/ contains one plausible mistake, and its first
// lines describe the expected verdict:
//
//     // expect: wrong-pitch | off-by-one-row     the verdict has one of these identifiers
//     // mistake: a sentence for the reader
//     // says: float2                             the failure's text contains these words
//     // never: __syncthreads                     the failure's text does not contain these words
//     // shows: times as fast                     the text for the terminal contains these words
//     // of: the bug hunt                         the kernel is for the bug hunt, not the exercise
//
// If any lines end in "// here", the verdict must name one of them. not_yet.txt lists the cases
// whose verdict is not yet the expected one. If a listed case has its expected verdict, that is
// also a failure, so that it is removed from the list. Exit code: 0 if all verdicts are as
// expected, 1 if some are not, 2 if the cases could not be examined.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <set>
#include <sstream>
#include <vector>

#include "base/files.h"
#include "examiner/exercises/examined.h"
#include "examiner/exercises/skeleton.h"
#include "examiner/render.h"
#include "sample.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;

const fs::path tests = EXERCISE_TESTS;
const fs::path solutions = COALESCE_REPOSITORY "/solutions";

struct Case {
    std::set<std::string> expected;  ///< permitted failures; empty: must pass
    /// The texts that follow the marks says, never and shows.
    std::vector<std::string> says, never, shows;
    std::set<int> lines;  ///< the lines that the verdict may name; any line if empty
    bool is_of_hunt = false;
};

std::vector<std::string> words_between_bars(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) {
        if (word != "|") words.push_back(word);
    }
    return words;
}

Case case_in(const std::string& text) {
    Case found;
    std::istringstream stream(text);
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        const auto behind = [&](const std::string& key) {
            return line.starts_with(key) ? line.substr(key.size()) : "";
        };
        for (const std::string& id : words_between_bars(behind("// expect: "))) {
            found.expected.insert(id);
        }
        if (const std::string words = behind("// says: "); !words.empty()) {
            found.says.push_back(words);
        }
        if (const std::string words = behind("// never: "); !words.empty()) {
            found.never.push_back(words);
        }
        if (const std::string words = behind("// shows: "); !words.empty()) {
            found.shows.push_back(words);
        }
        found.is_of_hunt |= line == "// of: the bug hunt";
        if (line.ends_with("// here")) found.lines.insert(number);
    }
    return found;
}

std::string joined(const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " | ") + word;
    return text;
}

// Joins the lines of a text with blanks, because words that a test expects may be on two lines.
std::string in_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

// Returns a description of the first difference between the verdict and the expectation, or "".
std::string difference(const Case& wanted, const Verdict& verdict) {
    if (wanted.expected.empty()) return verdict.passed() ? "" : "is " + verdict.failure_id();
    const std::string id = verdict.failure_id();
    if (!wanted.expected.contains(id)) {
        return "is " + (id.empty() ? "passed" : id) + ", not " + joined(wanted.expected);
    }
    const Failure& failure = verdict.failures.front();
    if (!wanted.lines.empty() && !wanted.lines.contains(failure.place.line)) {
        return "names line " + std::to_string(failure.place.line);
    }
    const std::string said =
        in_one_line(failure.headline + "\n" + failure.details + "\n" + failure.advice);
    for (const std::string& words : wanted.says) {
        if (said.find(words) == said.npos) return "does not say \"" + words + "\"";
    }
    for (const std::string& words : wanted.never) {
        if (said.find(words) != said.npos) return "says \"" + words + "\"";
    }
    const std::string shown = in_one_line(terminal_text(verdict));
    for (const std::string& words : wanted.shows) {
        if (shown.find(words) == shown.npos) return "does not show \"" + words + "\"";
    }
    return "";
}

// Reports whether not_yet.txt lists the case. Its lines have the form "FILE current verdict". A
// line "clang FILE current verdict" applies only to clang.
bool is_listed(const std::string& name, bool is_by_clang) {
    static const std::string list = "\n" + read_file(tests / "not_yet.txt");
    return list.find("\n" + name + " ") != list.npos ||
           (is_by_clang && list.find("\nclang " + name + " ") != list.npos);
}

std::vector<fs::path> files_of(const std::string& exercise) {
    std::vector<fs::path> files;
    for (const char* kind : {"right", "wrong"}) {
        for (const auto& entry : fs::directory_iterator(solutions / exercise / kind)) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

int hold(const std::string& exercise, const std::vector<fs::path>& files, bool shows_all) {
    // Cache the solution's costs, so that they are counted only once, not for each kernel.
    const TemporaryFolder cache;
    int failed = 0;
    for (const fs::path& file : files) {
        const std::string name = fs::absolute(file).lexically_relative(solutions).string();
        const std::string text = read_file(file);
        const Case wanted = case_in(text);
        if (wanted.expected.empty() == (name.find("/wrong/") != name.npos)) {
            throw UsageError(name + " has no `// expect:`, or one that it should not have");
        }
        const Verdict verdict =
            examine_source(require_exercise(exercise + (wanted.is_of_hunt ? " hunt" : "")),
                           make_source(text, file.filename()), cache.path);
        const std::string otherwise = difference(wanted, verdict);
        const bool is_known = is_listed(name, verdict.compiler.starts_with("clang"));
        if (otherwise.empty() != is_known && !shows_all) continue;
        failed += otherwise.empty() == is_known;
        std::printf("%s %s\n", name.c_str(),
                    otherwise.empty() ? "comes out right" : otherwise.c_str());
        if (shows_all) std::puts(terminal_text(verdict).c_str());
    }
    std::printf("%s: %zu kernels, %d not as they should be\n", exercise.c_str(), files.size(),
                failed);
    return failed > 0 ? 1 : 0;
}

int run(int argc, char** argv) {
    choose_device_from_environment(argv);
    std::vector<std::string> words(argv + 1, argv + argc);
    Sample sample = sample_of(words);
    if (words.empty()) throw UsageError("an exercise is needed");
    std::vector<fs::path> files(words.begin() + 1, words.end());
    const bool shows_all = !files.empty();
    if (files.empty()) files = files_of(words[0]);
    std::erase_if(files, [&](const fs::path&) { return !sample.takes_next(); });
    return hold(words[0], files, shows_all);
}

}  // namespace
}  // namespace coalesce::exercises

int main(int argc, char** argv) {
    try {
        if (argc >= 2) return coalesce::exercises::run(argc, argv);
        std::fputs("Usage: exercise_cases [--every N] 03_tiled [FILE...]\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    return 2;
}
