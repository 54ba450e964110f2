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

std::string GradedExercise::code() const {
    return result ? mark_code(result->mark) : mark_code(Mark::system);
}

std::optional<double> GradedExercise::points() const {
    if (decision) return decision->points;
    return result ? std::optional(result->points.total()) : std::nullopt;
}

const Failure* GradedExercise::first_failure() const {
    return result && !result->verdict.failures.empty() ? &result->verdict.failures.front()
                                                       : nullptr;
}

bool GradedExercise::has_all_points() const {
    const std::optional<double> earned_points = points();
    return earned_points && *earned_points > possible_points.total() - 1e-9;
}

bool StudentResults::is_complete() const {
    return std::ranges::all_of(graded, [](const GradedExercise& exercise_result) {
        return exercise_result.points().has_value();
    });
}

double StudentResults::points() const {
    double point_sum = 0;
    for (const GradedExercise& exercise_result : graded)
        point_sum += exercise_result.points().value_or(0);
    return point_sum;
}

double StudentResults::possible_points() const {
    double point_sum = 0;
    for (const GradedExercise& exercise_result : graded)
        point_sum += exercise_result.possible_points.total();
    return point_sum;
}

// Returns the solution, and the skeleton from the handout if the handout still exists.
static std::vector<std::string> list_common_sources(const Assignment& assignment,
                                                    const AssignedExercise& exercise) {
    auto file = assignment.folder / "handout" / "exercises" / exercise.name / "kernel.cu";
    std::vector<std::string> common = {exercise.solution};
    if (std::filesystem::is_regular_file(file)) common.push_back(read_file(file));
    return common;
}

// Applies the last decision about the submission. A decision about a different file of the student
// does not apply.
static void apply_decisions(const std::vector<Decision>& decisions, const Entry& entry,
                            GradedExercise& graded) {
    for (const Decision& teacher_decision : decisions) {
        if (teacher_decision.student != entry.student ||
            teacher_decision.exercise != entry.exercise)
            continue;
        const bool is_for_this_source = teacher_decision.source == entry.source;
        graded.has_stale_decision = !is_for_this_source && teacher_decision.points.has_value();
        if (!is_for_this_source || !teacher_decision.points)
            graded.decision.reset();
        else
            graded.decision = teacher_decision;
    }
}

// Returns the attempt that counts according to `counted_attempt`: the last submission, or one of
// the student's earlier submissions.
static Entry choose_attempt(const std::vector<Entry>& earlier_entries, const Entry& last,
                            CountedAttempt counted_attempt, Store& store,
                            std::string& attempt_phrase) {
    std::vector<Entry> attempts;
    for (const Entry& entry : earlier_entries) {
        if (entry.student == last.student && entry.exercise == last.exercise)
            attempts.push_back(entry);
    }
    if (attempts.empty() || counted_attempt == CountedAttempt::last) return last;
    attempts.push_back(last);
    attempt_phrase = "the " + std::string(dashed_name(counted_attempt)) + " of " +
                     std::to_string(attempts.size());
    if (counted_attempt == CountedAttempt::first) return attempts.front();
    const auto points = [&](const Entry& entry) {
        const auto json = store.result(entry.key);
        return json ? result_from_json(*json).points.total() : -1;
    };
    // If several attempts have the same points, take the latest one.
    return *std::ranges::max_element(attempts.rbegin(), attempts.rend(), {}, points);
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
                         .run = run->run_number,
                         .sandbox_note = run->sandbox_note};
    const std::set<std::string> given_up_keys = store.given_up_keys(run->run_number);
    const std::vector<Decision> decisions = store.decisions();
    std::map<std::string, StudentResults> students;
    const std::vector<Entry> earlier_entries = store.earlier_entries(run->run_number);
    for (const Entry& last_entry : store.entries(run->run_number)) {
        std::string attempt_phrase;
        const Entry entry = choose_attempt(earlier_entries, last_entry, assignment.counted_attempt,
                                           store, attempt_phrase);
        const AssignedExercise* exercise = assignment.find(entry.exercise);
        if (std::ranges::find(results.exercises, entry.exercise) == results.exercises.end()) {
            results.exercises.push_back(entry.exercise);
            results.common_sources.push_back(exercise == nullptr
                                                 ? std::vector<std::string>{}
                                                 : list_common_sources(assignment, *exercise));
        }
        GradedExercise graded{
            .exercise = entry.exercise,
            .possible_points = exercise == nullptr ? Points{0, 0, 0} : exercise->possible_points,
            .source = entry.source.empty() ? "" : store.source(entry.source),
            .result = {},
            .ignored_files = entry.problem.empty() ? entry.details : "",
            .attempt_phrase = attempt_phrase};
        if (auto json = store.result(entry.key)) {
            graded.result = result_from_json(*json);
        } else if (given_up_keys.contains(entry.key)) {
            graded.result = make_fault_result("");
        }
        apply_decisions(decisions, entry, graded);
        StudentResults& student = students[entry.student];
        student.name = entry.student;
        student.platform_name = last_entry.platform_name;
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
