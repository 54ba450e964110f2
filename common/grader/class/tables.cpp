// Writes the reports that other programs read: CSV, JUnit XML, our own JSON, and the JSON of two
// platforms.

#include <cmath>
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

// Returns the points, or "" for a submission that is not graded yet, which is not the same as
// having 0 points.
std::string format_points_or_empty(const Graded& graded) {
    return graded.result ? format_short(graded.result->points.total()) : "";
}

std::string failure_id_of(const Graded& graded) {
    return graded.result ? graded.result->failure_id() : "not-graded-yet";
}

// Returns the explanation of a result for the student.
std::string words_of(const Graded& graded) {
    if (!graded.result) return "This is not graded yet.\n";
    Verdict verdict = graded.result->verdict;
    verdict.source = graded.source;
    const std::string& picture = graded.result->picture;
    std::string text = terminal_text(verdict) + (picture.empty() ? "" : "\n" + picture);
    if (!graded.ignored.empty()) {
        text += "\nAlso submitted, but not examined: " + graded.ignored + ".\n";
    }
    return text;
}

std::string junit_case(const ClassResults& results, const StudentResults& student,
                       const Graded& graded) {
    std::string text = "    <testcase classname=\"" +
                       escape_xml(results.assignment + "." + graded.exercise) + "\" name=\"" +
                       escape_xml(escape_line(student.name, 1000)) + "\">";
    if (!graded.result) {
        // A submission that is not graded yet has neither passed nor failed.
        text += "\n      <error type=\"SYS\" message=\"not graded yet\"/>\n    ";
    } else if (graded.result->points != graded.possible) {
        text += "\n      <failure type=\"" + escape_xml(graded.code()) + "\" message=\"" +
                escape_xml(failure_id_of(graded)) + "\">" + escape_xml(words_of(graded)) +
                "</failure>\n    ";
    }
    return text + "</testcase>\n";
}

Json graded_json(const Graded& graded) {
    Json json = {{"exercise", graded.exercise},
                 {"verdict", graded.code()},
                 {"failure", failure_id_of(graded)},
                 {"points", nullptr},
                 {"possible", graded.possible.total()}};
    if (!graded.result) return json;
    const Result& result = *graded.result;
    json["points"] = result.points.total();
    for (const auto& [name, part] : kPoints) json["parts"][name] = result.points.*part;
    const Verdict& verdict = result.verdict;
    const Failure first = verdict.failures.empty() ? Failure{} : verdict.failures.front();
    json["headline"] = escape_text(first.headline);
    json["line"] = first.place.line;
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
    bool is_stamped = !results.stamp.empty();
    text += is_stamped ? ",sandbox\r\n" : "\r\n";
    for (const StudentResults& student : results.students) {
        text += to_csv_field(student.name) + "," +
                (student.is_complete() ? format_short(student.points()) : "") + "," +
                format_short(student.possible());
        for (const Graded& graded : student.graded) {
            text += "," + format_points_or_empty(graded) + "," + to_csv_field(graded.code()) + "," +
                    to_csv_field(failure_id_of(graded));
        }
        text += is_stamped ? "," + to_csv_field(results.stamp) + "\r\n" : "\r\n";
    }
    return text;
}

std::string junit_xml(const ClassResults& results) {
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (std::size_t i = 0; i < results.exercises.size(); ++i) {
        std::size_t failures = 0, errors = 0;
        std::string cases;
        for (const StudentResults& student : results.students) {
            const Graded& graded = student.graded.at(i);
            errors += graded.result ? 0 : 1;
            failures += graded.result && graded.result->points != graded.possible ? 1 : 0;
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
        for (const Graded& graded : student.graded) exercises.push_back(graded_json(graded));
        Json points = nullptr;
        if (student.is_complete()) points = student.points();
        students.push_back({{"student", escape_line(student.name, 1000)},
                            {"feedback", "feedback/" + file_name(student.name) + ".md"},
                            {"points", points},
                            {"possible", student.possible()},
                            {"exercises", exercises}});
    }
    Json all = {{"format", 1},
                {"assignment", results.assignment},
                {"stamp", results.stamp},
                {"counters", "simulated"},
                {"students", students}};
    return all.dump(2) + "\n";
}

std::string gradescope_json(const StudentResults& student) {
    Json tests = Json::array();
    for (const Graded& graded : student.graded) {
        Json test = {
            {"name", graded.exercise},
            {"max_score", graded.possible.total()},
            {"score", graded.result ? graded.result->points.total() : 0},
            {"output_format", "text"},
            {"output", words_of(graded)},
            {"visibility", "visible"},
            {"extra_data", {{"verdict", graded.code()}, {"failure", failure_id_of(graded)}}}};
        tests.push_back(test);
    }
    Json all = {{"visibility", "visible"}, {"stdout_visibility", "hidden"}, {"tests", tests}};
    return all.dump(2) + "\n";
}

std::string classroom50_json(const StudentResults& student) {
    // The platform requires whole points. Round each down, so that their sum never exceeds the true
    // points.
    const auto whole = [](double points) { return static_cast<long>(std::floor(points + 1e-9)); };
    Json tests = Json::array();
    long score = 0, most = 0;
    for (const Graded& graded : student.graded) {
        long got = graded.result ? whole(graded.result->points.total()) : 0;
        long possible = whole(graded.possible.total());
        score += got;
        most += possible;
        tests.push_back({{"test-name", graded.exercise},
                         {"passed", graded.result && graded.result->points == graded.possible},
                         {"score", got},
                         {"max-score", possible}});
    }
    Json all = {{"schema", "classroom50/result/v1"},
                {"score", score},
                {"max-score", most},
                {"tests", tests}};
    return all.dump(2) + "\n";
}

}  // namespace coalesce::grader
