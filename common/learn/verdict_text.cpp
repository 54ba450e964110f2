#include "learn/verdict_text.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "harness/text.h"
#include "learn/counted.h"
#include "learn/paths.h"
#include "learn/predict.h"

namespace coalesce::learn {
namespace {

constexpr int MOST_LINES_PRINTED = 10;

// The text that was examined, if the file still has it.
std::string examined_text(const Exercise& exercise, const CheckResult& result) {
    auto text =
        text_of(result.file == exercise.relative_file() ? exercise.file()
                                                        : std::filesystem::path(result.file));
    return text && identity_of(*text) == result.hash() ? *text : "";
}

std::string place_of(const Json& failure) {
    std::string file = failure.value("file", "");
    int line = failure.value("line", 0);
    return line > 0 ? file + ":" + std::to_string(line) : file;
}

// A map in which all signs are the same shows nothing that the sentence did not say.
bool says_something(const std::string& map) {
    std::istringstream lines(map);
    std::set<char> signs;
    for (std::string line; std::getline(lines, line);) {
        if (line.find_first_not_of(".X? ") != std::string::npos) continue;  // the legend
        signs.insert(line.begin(), line.end());
    }
    signs.erase(' ');
    return signs.size() > 1;
}

// A sentence begins with a capital letter, unless it begins with code: "out(0,0) was ...".
std::string as_sentence(std::string text) {
    size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
    if (end != std::string::npos && end > 0 && text[end] == ' ') text[0] -= 'a' - 'A';
    return text;
}

// A line of a file that may hold anything, for a terminal that must not be upset.
std::string harmless(const std::string& line) {
    constexpr size_t MOST_COLUMNS = 160;
    std::string shown;
    for (unsigned char c : line.substr(0, MOST_COLUMNS)) {
        bool is_control = (c < 0x20 && c != '\t') || c == 0x7f;
        shown += is_control ? '?' : static_cast<char>(c);
    }
    return line.size() > MOST_COLUMNS ? shown + " ..." : shown;
}

// The compiler's own words come with the line; bytes that are no text are no lines.
bool needs_excerpt(const Json& failure) {
    std::string id = failure.value("id", "");
    return failure.value("line", 0) > 0 && id != "does-not-compile" && id != "file-binary";
}

std::string with_line_end(std::string text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
}

std::string what_is_wrong(const Json& failure, const std::string& source, const Style& style) {
    std::string headline = as_sentence(failure.value("headline", ""));
    std::string text = "\n" + style.strong(wrap(headline));
    if (failure.value("rows", 0) > 0) {
        text += wrap("Seen with rows = " + std::to_string(failure.value("rows", 0)) +
                     ", cols = " + std::to_string(failure.value("cols", 0)) + ".");
    }
    if (!place_of(failure).empty()) text += "Where: " + place_of(failure) + "\n";
    if (needs_excerpt(failure) && !source.empty()) {
        text += "\n" + excerpt(source, failure.value("line", 0), failure.value("column", 0));
    }
    std::string details = failure.value("details", ""), map = failure.value("map", "");
    if (!details.empty()) text += "\n" + with_line_end(details);
    if (says_something(map)) text += "\n" + with_line_end(map);
    return text;
}

// What the kernel printed: its beginning.
std::string printed(const Json& verdict) {
    std::string output = verdict.value("output", "");
    bool is_cut = verdict.value("output_is_cut", false);
    if (output.empty()) return "";
    std::string text = "\nYour kernel printed:\n";
    std::istringstream lines(output);
    std::string line;
    int count = 0;
    for (; count < MOST_LINES_PRINTED && std::getline(lines, line); ++count) {
        text += "  " + harmless(line).substr(0, 76) + "\n";
    }
    if (is_cut || std::getline(lines, line)) text += "  ... and more, which is not shown.\n";
    return text;
}

std::string other_failures(const Json& failures) {
    std::string text;
    for (size_t i = 1; i < failures.size(); ++i) {
        std::string place = place_of(failures[i]);
        text += wrap("- " + failures[i].value("headline", "") +
                     (place.empty() ? "" : " (" + place + ")"));
    }
    return text.empty() ? "" : "\nBesides:\n" + text;
}

std::string warnings(const Json& verdict) {
    std::string text;
    for (auto& message : verdict["messages"]) {
        if (message.value("severity", "") != "warning") continue;
        text += wrap("warning: line " + std::to_string(message.value("line", 0)) + ": " +
                     message.value("text", ""));
    }
    return text.empty() ? "" : "\n" + text;
}

std::string command_line(const std::string& words, const std::string& about) {
    return format("./learn %-17s  %s\n", words.c_str(), about.c_str());
}

std::string guesses_text(const Record& record) {
    std::string text;
    for (auto& guess : record.guesses) {
        if (!guess.fact || !guess.said) continue;
        text += wrap("You predicted " + figure(guess.said) + " " + words_for(guess.counter) +
                     "; it is " + fact_text(guess) + ".");
    }
    return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string excerpt(const std::string& text, int line, int column) {
    constexpr int AROUND = 2;
    std::istringstream stream(text);
    std::string shown, one;
    for (int number = 1; std::getline(stream, one); ++number) {
        if (number < line - AROUND || number > line + AROUND) continue;
        if (!one.empty() && one.back() == '\r') one.pop_back();
        shown +=
            format("%s%4d | %s\n", number == line ? "> " : "  ", number, harmless(one).c_str());
        if (number != line || column <= 0 || column > static_cast<int>(one.size()) + 1) continue;
        std::string before = one.substr(0, static_cast<size_t>(column - 1));
        std::ranges::replace_if(
            before, [](char c) { return c != '\t'; }, ' ');
        shown += "       | " + before + "^\n";
    }
    return shown;
}

std::string command_for(const Exercise& exercise, const std::string& file) {
    bool is_usual = file.empty() || file == exercise.relative_file();
    return "./learn check " + exercise.words() + (is_usual ? "" : " --file " + file);
}

std::string headline_of(const Exercise& exercise, const CheckResult& result, const Style& style) {
    std::string verdict;
    switch (result.outcome) {
        case CheckResult::passed: verdict = style.good("passed"); break;
        case CheckResult::not_yet: verdict = style.bad("not yet"); break;
        case CheckResult::not_examined: verdict = style.bad("could not be examined"); break;
    }
    std::string where;
    if (result.verdict.is_object()) {
        bool is_simulated = result.verdict["device"].value("kind", "") == "sim";
        where = is_simulated ? "simulated, " : result.verdict["device"].value("name", "") + ", ";
    }
    return style.strong(exercise.name()) + ": " + verdict + "  (" + where +
           format("%.0f ms)\n", result.milliseconds);
}

std::string text_of_failure(const Exercise& exercise, const CheckResult& result,
                            const Style& style) {
    std::string text = headline_of(exercise, result, style);
    std::string again = command_for(exercise, result.file);
    if (!result.verdict.is_object())
        return text + "\n" + wrap(result.problem) + "\nAgain: " + again + "\n";
    const Json& failures = result.verdict["failures"];
    if (failures.empty()) return text + "\nAgain: " + again + "\n";
    text += what_is_wrong(failures[0], examined_text(exercise, result), style);
    text += printed(result.verdict) + other_failures(failures);
    if (result.failure() != "does-not-compile") text += warnings(result.verdict);
    text += "\n" + wrap("Next: " + failures[0].value("next", ""));
    std::string hint = "./learn hint " + exercise.words();
    bool can_be_hinted = result.outcome == CheckResult::not_yet;
    text += "Again: " + again;
    bool is_short = again.size() + hint.size() < 55;
    if (can_be_hinted) text += (is_short ? "      Stuck? " : "\nStuck? ") + hint;
    return text + "\n";
}

std::string text_of_pass(const Exercise& exercise, const CheckResult& result,
                         const PassedText& more, const Style& style) {
    std::string text = headline_of(exercise, result, style);
    size_t shapes = result.verdict["shapes"].size();
    text += "\n" + wrap("Right on " + count_of(shapes, "shape") +
                        (result.verdict["device"].value("kind", "") == "sim"
                             ? ", clean under every check, and no dearer than the lesson asks."
                             : ". A real GPU does not count: --device sim does."));
    if (more.counters) {
        std::string table = table_of_counters(result.verdict);
        if (!table.empty()) text += "\n" + table;
        if (more.record != nullptr) text += guesses_text(*more.record);
    } else {
        text += "\n" + wrap("What does it cost? Say it first, then see it: ./learn predict " +
                            exercise.words());
    }
    text += printed(result.verdict) + warnings(result.verdict);
    text += "\nNext: " + command_line("explain " + exercise.words(), "yours beside the solution");
    if (!more.hunt.empty()) text += "      " + command_line(more.hunt, more.hunt_file);
    if (!more.behind.empty()) text += "      " + command_line(more.behind, more.behind_file);
    return text + "Again: " + command_for(exercise, result.file) + "\n";
}

}  // namespace coalesce::learn
