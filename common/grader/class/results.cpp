#include "grader/class/results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "examiner/safe_text.h"
#include "grader/class/worker.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

namespace coalesce::grader {

std::string Graded::code() const {
    return result ? code_of(result->mark) : code_of(Mark::system);
}

bool StudentResults::is_complete() const {
    return std::ranges::all_of(graded, [](const Graded& one) { return one.result.has_value(); });
}

double StudentResults::points() const {
    double sum = 0;
    for (const Graded& one : graded) sum += one.result ? one.result->points.total() : 0;
    return sum;
}

double StudentResults::possible() const {
    double sum = 0;
    for (const Graded& one : graded) sum += one.possible.total();
    return sum;
}

// Returns the solution, and the skeleton from the handout if the handout still exists.
static std::vector<std::string> list_common_sources(const Assignment& assignment,
                                                    const Assigned& exercise) {
    auto file = assignment.folder / "handout" / "exercises" / exercise.name / "kernel.cu";
    std::vector<std::string> common = {exercise.solution};
    if (std::filesystem::is_regular_file(file)) common.push_back(read_file(file));
    return common;
}

ClassResults read_results(const Assignment& assignment, Store& store) {
    std::optional<Run> run = store.run();
    if (!run) {
        throw UsageError("no submission for " + assignment.name +
                         " has been graded yet; run ./learn grade run " + assignment.name +
                         " --submissions FOLDER");
    }
    ClassResults results{.assignment = assignment.name,
                         .title = assignment.title,
                         .run = run->number,
                         .stamp = run->stamp};
    const std::set<std::string> given_up = store.given_up(run->number);
    std::map<std::string, StudentResults> students;
    for (const Entry& entry : store.entries(run->number)) {
        const Assigned* exercise = assignment.find(entry.exercise);
        if (std::ranges::find(results.exercises, entry.exercise) == results.exercises.end()) {
            results.exercises.push_back(entry.exercise);
            results.common.push_back(exercise == nullptr
                                         ? std::vector<std::string>{}
                                         : list_common_sources(assignment, *exercise));
        }
        Graded graded{.exercise = entry.exercise,
                      .possible = exercise == nullptr ? Points{0, 0, 0} : exercise->possible,
                      .source = entry.source.empty() ? "" : store.source(entry.source),
                      .result = {},
                      .ignored = entry.problem.empty() ? entry.details : ""};
        if (auto json = store.result(entry.key)) {
            graded.result = result_from_json(*json);
        } else if (given_up.contains(entry.key)) {
            graded.result = make_fault_result("");
        }
        StudentResults& student = students[entry.student];
        student.name = entry.student;
        student.graded.push_back(std::move(graded));
    }
    for (auto& [name, student] : students) results.students.push_back(std::move(student));
    return results;
}

const StudentResults* find_student(const ClassResults& results, const std::string& name) {
    for (const StudentResults& student : results.students) {
        if (student.name == name || escape_line(student.name) == name) return &student;
    }
    return nullptr;
}

}  // namespace coalesce::grader
