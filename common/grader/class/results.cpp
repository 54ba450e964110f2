#include "grader/class/results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "base/enum_names.h"
#include "examiner/safe_text.h"
#include "grader/class/worker.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

namespace coalesce::grader {

std::string Graded::code() const {
    return result ? code_of(result->mark) : code_of(Mark::system);
}

std::optional<double> Graded::points() const {
    if (decision) return decision->points;
    return result ? std::optional(result->points.total()) : std::nullopt;
}

const Failure* Graded::first_failure() const {
    return result && !result->verdict.failures.empty() ? &result->verdict.failures.front()
                                                       : nullptr;
}

bool Graded::has_all_points() const {
    const std::optional<double> has = points();
    return has && *has > possible.total() - 1e-9;
}

bool StudentResults::is_complete() const {
    return std::ranges::all_of(graded, [](const Graded& one) { return one.points().has_value(); });
}

double StudentResults::points() const {
    double sum = 0;
    for (const Graded& one : graded) sum += one.points().value_or(0);
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

// Applies the last decision about the submission. A decision about a different file of the student
// does not apply.
static void apply_decisions(const std::vector<Decision>& decisions, const Entry& entry,
                            Graded& graded) {
    for (const Decision& one : decisions) {
        if (one.student != entry.student || one.exercise != entry.exercise) continue;
        const bool applies = one.source == entry.source;
        graded.has_stale_decision = !applies && one.points.has_value();
        if (!applies || !one.points)
            graded.decision.reset();
        else
            graded.decision = one;
    }
}

// Returns the attempt that counts according to `which`: the last submission, or one of the
// student's earlier submissions.
static Entry choose_attempt(const std::vector<Entry>& earlier, const Entry& last,
                            CountedAttempt which, Store& store, std::string& attempt) {
    std::vector<Entry> all;
    for (const Entry& one : earlier) {
        if (one.student == last.student && one.exercise == last.exercise) all.push_back(one);
    }
    if (all.empty() || which == CountedAttempt::last) return last;
    all.push_back(last);
    attempt = "the " + std::string(dashed_name(which)) + " of " + std::to_string(all.size());
    if (which == CountedAttempt::first) return all.front();
    const auto points = [&](const Entry& one) {
        const auto json = store.result(one.key);
        return json ? result_from_json(*json).points.total() : -1;
    };
    // If several attempts have the same points, take the latest one.
    return *std::ranges::max_element(all.rbegin(), all.rend(), {}, points);
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
    const std::vector<Decision> decisions = store.decisions();
    std::map<std::string, StudentResults> students;
    const std::vector<Entry> earlier = store.earlier_entries(run->number);
    for (const Entry& last : store.entries(run->number)) {
        std::string attempt;
        const Entry entry = choose_attempt(earlier, last, assignment.attempts, store, attempt);
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
                      .ignored = entry.problem.empty() ? entry.details : "",
                      .attempt = attempt};
        if (auto json = store.result(entry.key)) {
            graded.result = result_from_json(*json);
        } else if (given_up.contains(entry.key)) {
            graded.result = make_fault_result("");
        }
        apply_decisions(decisions, entry, graded);
        StudentResults& student = students[entry.student];
        student.name = entry.student;
        student.platform_name = last.platform_name;
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
