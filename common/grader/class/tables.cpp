// Writes the machine-readable reports: CSV, JUnit XML, the project's own JSON, and the JSON of a
// learning platform.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "examiner/render.h"
#include "examiner/safe_text.h"
#include "grader/class/reports.h"
#include "harness/counters_json.h"

namespace coalesce::grader {
namespace {

using Json = nlohmann::ordered_json;

// Returns the points, or "" if the submission is not graded yet, to distinguish it from a
// submission with 0 points.
std::string format_points_or_empty(const GradedExercise& graded) {
    const std::optional<double> points = graded.points();
    return points ? format_short(*points) : "";
}

std::string failure_id_or_status(const GradedExercise& graded) {
    return graded.result ? graded.result->failure_id() : "not-graded-yet";
}

// Returns a sentence that says that the teacher decided on the points, or "" if the teacher did
// not.
std::string describe_decision(const GradedExercise& graded) {
    if (!graded.decision) return "";
    return "Your teacher decided on " + format_short(*graded.decision->points) +
           " points: " + escape_line(graded.decision->reason, 1000) + "\n\n";
}

// Returns the explanation of a result for the student.
std::string describe_result(const GradedExercise& graded) {
    if (!graded.result)
        return describe_decision(graded) + "This exercise has not been graded yet.\n";
    Verdict verdict = graded.result->verdict;
    verdict.source = graded.source;
    const std::string& picture = graded.result->picture;
    std::string text = describe_decision(graded) + terminal_text(verdict) +
                       (picture.empty() ? "" : "\n" + picture);
    if (!graded.ignored_files.empty()) {
        text += "\nAlso submitted, but not examined: " + graded.ignored_files + ".\n";
    }
    return text;
}

// Lists the teacher's decisions about a student, for example "03_tiled: right, except for a typing
// error".
std::string list_decisions(const StudentResults& student) {
    return joined(student.graded, "; ", [](const GradedExercise& graded) {
        return graded.decision ? graded.exercise + ": " + escape_line(graded.decision->reason, 1000)
                               : "";
    });
}

std::string junit_case(const ClassResults& results, const StudentResults& student,
                       const GradedExercise& graded) {
    std::string text = "    <testcase classname=\"" +
                       escape_xml(results.assignment + "." + graded.exercise) + "\" name=\"" +
                       escape_xml(escape_line(student.name, 1000)) + "\">";
    if (!graded.points()) {
        // A submission that is not graded yet has neither passed nor failed.
        text += "\n      <error type=\"SYS\" message=\"not graded yet\"/>\n    ";
    } else if (!graded.has_all_points()) {
        text += "\n      <failure type=\"" + escape_xml(graded.code()) + "\" message=\"" +
                escape_xml(failure_id_or_status(graded)) + "\">" +
                escape_xml(describe_result(graded)) + "</failure>\n    ";
    }
    return text + "</testcase>\n";
}

Json graded_json(const GradedExercise& graded) {
    Json json = {{"exercise", graded.exercise},
                 {"verdict", graded.code()},
                 {"failure", failure_id_or_status(graded)},
                 {"points", nullptr},
                 {"possible", graded.possible_points.total()}};
    if (const auto points = graded.points()) json["points"] = *points;
    if (graded.decision) json["why"] = escape_line(graded.decision->reason, 1000);
    if (!graded.result) return json;
    const Result& result = *graded.result;
    for (const auto& [name, points_member] : kPoints)
        json["parts"][name] = result.points.*points_member;
    const Verdict& verdict = result.verdict;
    const Failure first_failure = verdict.failures.empty() ? Failure{} : verdict.failures.front();
    json["headline"] = escape_text(first_failure.headline);
    json["line"] = first_failure.place.line;
    json["sandbox"] = result.sandbox;
    if (verdict.counters) json["counters"] = counters_to_json(*verdict.counters);
    if (verdict.solution_counters) {
        json["solution_counters"] = counters_to_json(*verdict.solution_counters);
    }
    return json;
}

}  // namespace

std::string grades_csv(const ClassResults& results) {
    std::string text = "student,points,possible";
    for (const std::string& exercise : results.exercises) {
        text += "," + to_csv_field(exercise + " points") + "," +
                to_csv_field(exercise + " verdict") + "," + to_csv_field(exercise + " failure");
    }
    const bool has_sandbox_note = !results.sandbox_note.empty();
    const bool has_decisions = std::ranges::any_of(
        results.students, [](const auto& student) { return !list_decisions(student).empty(); });
    text += std::string(has_sandbox_note ? ",sandbox" : "") +
            (has_decisions ? ",decided by the teacher" : "") + "\r\n";
    for (const StudentResults& student : results.students) {
        text += to_csv_field(student.name) + "," +
                (student.is_complete() ? format_short(student.points()) : "") + "," +
                format_short(student.possible_points());
        for (const GradedExercise& graded : student.graded) {
            text += "," + format_points_or_empty(graded) + "," + to_csv_field(graded.code()) + "," +
                    to_csv_field(failure_id_or_status(graded));
        }
        if (has_sandbox_note) text += "," + to_csv_field(results.sandbox_note);
        if (has_decisions) text += "," + to_csv_field(list_decisions(student));
        text += "\r\n";
    }
    return text;
}

std::string junit_xml(const ClassResults& results) {
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (std::size_t i = 0; i < results.exercises.size(); ++i) {
        std::size_t failures = 0, errors = 0;
        std::string cases;
        for (const StudentResults& student : results.students) {
            const GradedExercise& graded = student.graded.at(i);
            errors += graded.points() ? 0 : 1;
            failures += graded.points() && !graded.has_all_points() ? 1 : 0;
            cases += junit_case(results, student, graded);
        }
        text += "  <testsuite name=\"" + escape_xml(results.exercises[i]) + "\" tests=\"" +
                std::to_string(results.students.size()) + "\" failures=\"" +
                std::to_string(failures) + "\" errors=\"" + std::to_string(errors) + "\">\n" +
                cases + "  </testsuite>\n";
    }
    return text + "</testsuites>\n";
}

std::string grades_json(const ClassResults& results) {
    Json students = Json::array();
    for (const StudentResults& student : results.students) {
        Json exercises = Json::array();
        for (const GradedExercise& graded : student.graded)
            exercises.push_back(graded_json(graded));
        Json points = nullptr;
        if (student.is_complete()) points = student.points();
        students.push_back({{"student", escape_line(student.name, 1000)},
                            {"feedback", "feedback/" + feedback_file_name(student.name) + ".md"},
                            {"points", points},
                            {"possible", student.possible_points()},
                            {"exercises", exercises}});
    }
    Json report_json = {{"format", 1},
                        {"assignment", results.assignment},
                        {"stamp", results.sandbox_note},
                        {"counters", "simulated"},
                        {"students", students}};
    return report_json.dump(2) + "\n";
}

std::string gradescope_json(const StudentResults& student) {
    Json tests = Json::array();
    for (const GradedExercise& graded : student.graded) {
        Json test = {{"name", graded.exercise},
                     {"max_score", graded.possible_points.total()},
                     {"score", graded.points().value_or(0)},
                     {"output_format", "text"},
                     {"output", describe_result(graded)},
                     {"visibility", "visible"},
                     {"extra_data",
                      {{"verdict", graded.code()}, {"failure", failure_id_or_status(graded)}}}};
        tests.push_back(test);
    }
    Json report_json = {
        {"visibility", "visible"}, {"stdout_visibility", "hidden"}, {"tests", tests}};
    return report_json.dump(2) + "\n";
}

std::string results_json(const ClassResults& results, const StudentResults& student) {
    Json tests = Json::array();
    bool has_passed_all = true;
    for (const GradedExercise& graded : student.graded) {
        const Json exercise_json = graded_json(graded);
        const bool has_full_points = graded.has_all_points();
        has_passed_all &= has_full_points;
        tests.push_back({{"name", graded.exercise},
                         {"score", graded.points().value_or(0)},
                         {"max_score", graded.possible_points.total()},
                         {"passed", has_full_points},
                         {"verdict", graded.code()},
                         {"failure", failure_id_or_status(graded)},
                         {"headline", exercise_json.value("headline", "")},
                         {"line", exercise_json.value("line", 0)},
                         {"output", describe_result(graded)}});
    }
    const Json report_json = {{"format", 1},
                              {"assignment", results.assignment},
                              {"title", results.title},
                              {"score", student.points()},
                              {"max_score", student.possible_points()},
                              {"passed", has_passed_all},
                              {"tests", tests}};
    return report_json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace coalesce::grader
