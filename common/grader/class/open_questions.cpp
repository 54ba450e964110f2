// Lists the results that a teacher must review after a run.

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include "base/text.h"
#include "examiner/safe_text.h"
#include "grader/class/platform_names.h"
#include "grader/class/reports.h"

namespace coalesce::grader {
namespace {

using Lines = std::vector<std::string>;

// Returns the list under its heading, or "" if it is empty.
std::string format_list(const std::string& heading, const Lines& lines, std::size_t max_lines) {
    if (lines.empty()) return "";
    std::string text = heading + "\n";
    for (std::size_t i = 0; i < std::min(lines.size(), max_lines); ++i)
        text += "  " + lines[i] + "\n";
    if (lines.size() > max_lines) {
        text += "  and " + std::to_string(lines.size() - max_lines) +
                " more, in results/needs_your_eye.txt\n";
    }
    return text;
}

std::string short_student_name(const StudentResults& student) {
    return escape_line(student.name, 50);
}

// Lists the results for which `is_selected` returns true, each with its headline.
Lines list_results(const ClassResults& results,
                   const std::function<bool(const GradedExercise&)>& is_selected) {
    Lines lines;
    for (const StudentResults& student : results.students) {
        for (const GradedExercise& graded : student.graded) {
            if (!is_selected(graded)) continue;
            const Failure* failure = graded.first_failure();
            const std::string headline = failure ? failure->headline : "";
            lines.push_back(short_student_name(student) + ", " + graded.exercise +
                            (headline.empty() ? "" : ": " + escape_line(headline, 60)));
        }
    }
    return lines;
}

// Returns the letters and digits of a name in lower case. Two students for whom the function
// returns the same text may be the same person.
std::string normalize_name(const std::string& name) {
    std::string normalized_name;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || byte >= 0x80)
            normalized_name += static_cast<char>(std::tolower(byte));
    }
    return normalized_name;
}

Lines list_similar_names(const ClassResults& results) {
    std::map<std::string, Lines> names_by_normalized_name;
    for (const StudentResults& student : results.students)
        names_by_normalized_name[normalize_name(student.name)].push_back(
            short_student_name(student));
    Lines lines;
    for (const auto& [normalized_name, names] : names_by_normalized_name) {
        if (names.size() > 1) lines.push_back(join_up_to(names, 5));
    }
    return lines;
}

Lines list_late_students(const ClassResults& results) {
    Lines lines;
    for (const StudentResults& student : results.students) {
        const auto platform_details = parse_platform_name(student.platform_name);
        if (platform_details && platform_details->is_late)
            lines.push_back(short_student_name(student));
    }
    return lines;
}

}  // namespace

std::string describe_open_questions(const ClassResults& results, std::size_t max_lines) {
    const auto list_with_mark = [&](Mark mark) {
        return list_results(results, [mark](const GradedExercise& graded) {
            return !graded.decision && graded.result && graded.result->mark == mark;
        });
    };
    const std::string text =
        format_list("FAULT: the grader crashed on these files, and only on these (no points yet):",
                    list_with_mark(Mark::fault), max_lines) +
        format_list("CHEAT: look at the file before you accuse anyone:",
                    list_with_mark(Mark::cheat), max_lines) +
        format_list("REJ: these submissions were not accepted:", list_with_mark(Mark::rejected),
                    max_lines) +
        format_list("CE: these files do not compile:", list_with_mark(Mark::compile_error),
                    max_lines) +
        format_list(
            "You set the points of an earlier file, but a newer file has been handed in:",
            list_results(results,
                         [](const GradedExercise& graded) { return graded.has_stale_decision; }),
            max_lines) +
        format_list("Late, according to the platform (late_days in names.csv subtracts points):",
                    list_late_students(results), max_lines) +
        format_list("Names that may belong to one person:", list_similar_names(results), max_lines);
    if (text.empty()) return "";
    return "\nNeeds your attention (./learn grade show NAME explains a result, ./learn grade set "
           "NAME\nEXERCISE --points N --why REASON overrides it):\n" +
           text;
}

}  // namespace coalesce::grader
