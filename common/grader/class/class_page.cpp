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
constexpr std::size_t kBars = 10;
/// The maximum number of causes to list for an exercise.
constexpr std::size_t kCauses = 8;

constexpr const char* kStyle = R"(<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: .1rem .8rem .1rem 0; text-align: left; vertical-align: top; }
.bar { background: #2a6fb0; height: 1rem; } code { white-space: pre-wrap; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e6e6e6; } .bar { background: #6aa9e4; } }
</style>
)";

std::string row(const std::string& name, std::size_t count, std::size_t most) {
    const std::size_t percent = most == 0 ? 0 : 100 * count / most;
    return "<tr><th scope=\"row\">" + name + "</th><td>" + std::to_string(count) +
           "</td><td style=\"width: 20rem\"><div class=\"bar\" style=\"width: " +
           std::to_string(percent) + "%\"></div></td></tr>\n";
}

/// Returns the HTML of a bar chart that shows the number of students in each tenth of the possible
/// points.
std::string distribution(const std::vector<double>& fractions) {
    std::vector<std::size_t> counts(kBars);
    for (const double fraction : fractions) {
        const auto bar = static_cast<std::size_t>(std::max(0.0, fraction) * kBars);
        ++counts[std::min(bar, kBars - 1)];
    }
    const std::size_t most = *std::ranges::max_element(counts);
    std::string rows;
    for (std::size_t i = 0; i < kBars; ++i) {
        const std::size_t step = 100 / kBars;
        rows += row(std::to_string(i * step) + " to " + std::to_string((i + 1) * step) + " %",
                    counts[i], most);
    }
    return "<table>\n" + rows + "</table>\n";
}

/// The submissions with the same first failure.
struct Cause {
    std::string failure;
    std::size_t count = 0;
    std::string example;  ///< headline of one of these failures, and its line of code
};

std::string example_of(const Graded& graded, const Failure& failure) {
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
std::vector<Cause> causes_of(const ClassResults& results, std::size_t exercise) {
    std::map<std::string, Cause> by_failure;
    for (const StudentResults& student : results.students) {
        const Graded& graded = student.graded.at(exercise);
        const Failure* failure = graded.first_failure();
        if (!failure) continue;
        Cause& cause = by_failure[graded.result->failure_id()];
        if (cause.count++ == 0) {
            cause.failure = graded.result->failure_id();
            cause.example = example_of(graded, *failure);
        }
    }
    std::vector<Cause> causes;
    for (const auto& [failure, cause] : by_failure) causes.push_back(cause);
    std::ranges::stable_sort(causes, std::ranges::greater{}, &Cause::count);
    causes.resize(std::min(causes.size(), kCauses));
    return causes;
}

std::string exercise_section(const ClassResults& results, std::size_t exercise) {
    std::vector<double> fractions;
    std::size_t complete = 0;
    for (const StudentResults& student : results.students) {
        const Graded& graded = student.graded.at(exercise);
        const std::optional<double> points = graded.points();
        if (!points) continue;
        fractions.push_back(*points / graded.possible.total());
        complete += graded.has_all_points();
    }
    std::string text = "<h2>" + escape_xml(results.exercises[exercise]) + "</h2>\n<p>" +
                       std::to_string(complete) + " of " +
                       format_count(results.students.size(), "student") +
                       " have full points.</p>\n" + distribution(fractions);
    const std::vector<Cause> causes = causes_of(results, exercise);
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
    if (!results.stamp.empty()) text += "<p>(" + escape_xml(results.stamp) + ")</p>\n";
    std::vector<double> fractions;
    for (const StudentResults& student : results.students) {
        if (student.is_complete()) fractions.push_back(student.points() / student.possible());
    }
    text += "<h2>All exercises</h2>\n<p>" + format_count(fractions.size(), "student") +
            ", by percentage of the possible points.</p>\n" + distribution(fractions);
    for (std::size_t i = 0; i < results.exercises.size(); ++i) text += exercise_section(results, i);
    return text + "</html>\n";
}

}  // namespace coalesce::grader
