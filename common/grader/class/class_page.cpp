// Writes class.html, which shows how the points are distributed, and which mistakes are the most
// frequent.

#include <algorithm>
#include <map>

#include "base/text.h"
#include "examiner/safe_text.h"
#include "grader/class/reports.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace {

/// The number of bars in a chart of the points. Each bar covers an equal fraction of the possible
/// points.
constexpr std::size_t kHistogramBars = 10;
/// The maximum number of causes to list for an exercise.
constexpr std::size_t kMaxCauses = 8;

constexpr const char* kStyle = R"(<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: .1rem .8rem .1rem 0; text-align: left; vertical-align: top; }
.bar { background: #2a6fb0; height: 1rem; } code { white-space: pre-wrap; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e6e6e6; } .bar { background: #6aa9e4; } }
</style>
)";

std::string bar_row(const std::string& name, std::size_t count, std::size_t max_count) {
    const std::size_t percent = max_count == 0 ? 0 : 100 * count / max_count;
    return "<tr><th scope=\"row\">" + name + "</th><td>" + std::to_string(count) +
           "</td><td style=\"width: 20rem\"><div class=\"bar\" style=\"width: " +
           std::to_string(percent) + "%\"></div></td></tr>\n";
}

/// Returns the HTML of a bar chart that shows the number of students in each tenth of the possible
/// points.
std::string histogram_table(const std::vector<double>& fractions) {
    std::vector<std::size_t> counts(kHistogramBars);
    for (const double fraction : fractions) {
        const auto bar_index = static_cast<std::size_t>(std::max(0.0, fraction) * kHistogramBars);
        ++counts[std::min(bar_index, kHistogramBars - 1)];
    }
    const std::size_t max_count = *std::ranges::max_element(counts);
    std::string rows;
    for (std::size_t i = 0; i < kHistogramBars; ++i) {
        const std::size_t percent_step = 100 / kHistogramBars;
        rows += bar_row(std::to_string(i * percent_step) + " to " +
                            std::to_string((i + 1) * percent_step) + " %",
                        counts[i], max_count);
    }
    return "<table>\n" + rows + "</table>\n";
}

/// The submissions with the same first failure.
struct Cause {
    std::string failure;
    std::size_t count = 0;
    std::string example;  ///< headline of one of these failures, and its line of code
};

std::string format_example(const GradedExercise& graded, const Failure& failure) {
    std::string text = escape_xml(escape_text(failure.headline));
    const std::vector<std::string> lines = lines_of(graded.source);
    const auto line = static_cast<std::size_t>(std::max(0, failure.place.line));
    if (line > 0 && line <= lines.size()) {
        text += "<br><code>" + std::to_string(line) + ": " +
                escape_xml(escape_line(lines[line - 1], 200)) + "</code>";
    }
    return text;
}

/// Returns the causes of an exercise's first failures, the most frequent first.
std::vector<Cause> find_frequent_causes(const ClassResults& results, std::size_t exercise) {
    std::map<std::string, Cause> causes_by_failure;
    for (const StudentResults& student : results.students) {
        const GradedExercise& graded = student.graded.at(exercise);
        const Failure* failure = graded.first_failure();
        if (!failure) continue;
        Cause& cause = causes_by_failure[graded.result->failure_id()];
        if (cause.count++ == 0) {
            cause.failure = graded.result->failure_id();
            cause.example = format_example(graded, *failure);
        }
    }
    std::vector<Cause> causes;
    for (const auto& [failure, cause] : causes_by_failure) causes.push_back(cause);
    std::ranges::stable_sort(causes, std::ranges::greater{}, &Cause::count);
    causes.resize(std::min(causes.size(), kMaxCauses));
    return causes;
}

std::string exercise_section(const ClassResults& results, std::size_t exercise) {
    std::vector<double> fractions;
    std::size_t full_points_count = 0;
    for (const StudentResults& student : results.students) {
        const GradedExercise& graded = student.graded.at(exercise);
        const std::optional<double> points = graded.points();
        if (!points) continue;
        fractions.push_back(*points / graded.possible_points.total());
        full_points_count += graded.has_all_points();
    }
    std::string text = "<h2>" + escape_xml(results.exercises[exercise]) + "</h2>\n<p>" +
                       std::to_string(full_points_count) + " of " +
                       format_count(results.students.size(), "student") +
                       " have full points.</p>\n" + histogram_table(fractions);
    const std::vector<Cause> causes = find_frequent_causes(results, exercise);
    if (causes.empty()) return text;
    text +=
        "<h3>The most frequent causes</h3>\n<table>\n"
        "<tr><th>Submissions</th><th>Failure</th><th>Example</th></tr>\n";
    for (const Cause& cause : causes) {
        text += "<tr><td>" + std::to_string(cause.count) + "</td><td>" + escape_xml(cause.failure) +
                "</td><td>" + cause.example + "</td></tr>\n";
    }
    return text + "</table>\n";
}

}  // namespace

std::string class_page(const ClassResults& results) {
    const std::string title = escape_xml(escape_line(results.title, 200));
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>" +
                       title + "</title>\n" + kStyle + "<h1>" + title + "</h1>\n";
    if (!results.sandbox_note.empty())
        text += "<p>(" + escape_xml(results.sandbox_note) + ")</p>\n";
    std::vector<double> fractions;
    for (const StudentResults& student : results.students) {
        if (student.is_complete())
            fractions.push_back(student.points() / student.possible_points());
    }
    text += "<h2>All exercises</h2>\n<p>" + format_count(fractions.size(), "student") +
            ", by percentage of the possible points.</p>\n" + histogram_table(fractions);
    for (std::size_t i = 0; i < results.exercises.size(); ++i) text += exercise_section(results, i);
    return text + "</html>\n";
}

}  // namespace coalesce::grader
