// Checks the form of an exercise's files: their header comments, their kernels, and their hints.
#include <algorithm>
#include <regex>

#include "base/text.h"
#include "examiner/exercises/tree.h"
#include "examiner/failure.h"
#include "harness/text.h"

namespace coalesce::exercises {
namespace {

using Faults = std::vector<std::string>;
using Lines = std::vector<std::string>;

// Returns the comment at the beginning of the text.
std::string extract_header_comment(const std::string& text) {
    std::string head;
    for (const std::string& line : lines_of(text)) {
        if (!line.starts_with("//")) break;
        head += line + "\n";
    }
    return head;
}

std::string remove_comment(const std::string& line) {
    std::string code = line.substr(0, line.find("//"));
    code.erase(code.find_last_not_of(' ') + 1);
    return code;
}

void check_names(const std::vector<Hint>& hints, const std::string& file, Faults& faults) {
    static const std::vector<std::string> ids = all_failure_ids();
    for (const Hint& hint : hints) {
        for (const std::string& failure : hint.failures) {
            if (std::ranges::count(ids, failure) > 0) continue;
            faults.push_back(
                file + ":" + std::to_string(hint.line) + ": there is a hint for \"" + failure +
                "\", but no failure has that name; examiner/failure.h lists the names");
        }
    }
}

}  // namespace

Faults find_header_faults(const std::string& name, const Skeleton& skeleton, bool is_hunt) {
    const std::string head = extract_header_comment(skeleton.blank_text()),
                      number = step_number(name);
    const std::string check = "// Check   ./learn check " + number;
    const Lines exercise_beginnings = {"// Exercise " + name + " -- ", "// Given   ", "// Write   ",
                                       check + "          Stuck?   ./learn hint " + number};
    const Lines hunt_beginnings = {"// Bug hunt " + name + " -- ", "// Seen    ", "// Fix     ",
                                   check + " --hunt"};
    Faults faults;
    for (const std::string& beginning : is_hunt ? hunt_beginnings : exercise_beginnings) {
        if (("\n" + head).find("\n" + beginning) != std::string::npos) continue;
        faults.push_back("the header comment has no line that begins with \"" + beginning +
                         "\"; add this line");
    }
    const std::string count = "(" + format_count(skeleton.lines_to_write(), "line") + ")";
    if (!is_hunt && head.find(count) == std::string::npos) {
        faults.push_back("the header comment must say how many lines there are to write: " + count);
    }
    return faults;
}

std::vector<std::string> extract_kernel_lines(const std::string& text) {
    static const std::regex head(R"(__global__ void \w+\()");
    Lines kernel;
    for (const std::string& line : lines_of(text)) {
        std::string code = remove_comment(line);
        if (kernel.empty() && !code.starts_with("__global__")) continue;
        if (kernel.empty()) code = std::regex_replace(code, head, "__global__ void kernel(");
        if (!code.empty()) kernel.push_back(code);
        if (code == "}") return kernel;
    }
    return {};
}

Faults find_hint_faults(const course::Course& course) {
    Faults faults;
    check_names(course.hints, "course.toml", faults);
    const auto check_lesson = [&](const course::Step& step) {
        if (step.exercise)
            check_names(step.exercise->hints, "solutions/" + step.name + "/exercise.toml", faults);
    };
    if (course.program) check_lesson(*course.program);
    for (const course::Step& step : course.steps) check_lesson(step);
    for (const course::Step& step : course.beyond_exercises) check_lesson(step);
    return faults;
}

std::vector<std::string> failures_without_hint(const course::Course& course,
                                               const std::string& step,
                                               const std::set<std::string>& failures) {
    std::vector<std::string> left;
    const course::Step* step_of_exercise = course.lesson(step);
    for (const std::string& failure : failures) {
        const bool has_own_hint =
            step_of_exercise != nullptr && step_of_exercise->exercise &&
            !course.hint_for(*step_of_exercise->exercise, failure).failures.empty();
        if (!has_own_hint) left.push_back(failure);
    }
    return left;
}

}  // namespace coalesce::exercises
