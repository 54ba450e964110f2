/// \file
/// The results of a class, from which all reports are written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/class/manifest.h"
#include "grader/judge/telling.h"
#include "grader/store/store.h"

namespace coalesce::grader {

/// One student's result for one exercise.
struct GradedExercise {
    std::string exercise;  ///< such as "03_tiled"
    Points possible_points;
    std::string source;  ///< the submitted source, or "" if there is none to judge
    /// The result, or empty if the submission has not been graded yet.
    std::optional<Result> result;
    std::string ignored_files =
        "";  ///< a description of the submitted files that were not examined
    /// A phrase that says which of the student's files counts, such as "the best of 3". "" if there
    /// is only one file.
    std::string attempt_phrase = "";
    /// The teacher's decision about the points, or empty if the judge's points apply.
    std::optional<Decision> decision = {};
    /// Whether the student has replaced the file that the teacher's decision was about.
    bool has_stale_decision = false;

    /// Returns the code of the mark, such as "WA" for a wrong result. "SYS" means that the
    /// submission has not been graded yet.
    std::string code() const;
    /// Returns the points that the teacher decided on or, without a decision, the judge's points.
    /// Returns nothing if the submission has no points yet.
    std::optional<double> points() const;
    /// Returns the first failure of the result, or nullptr if there is none.
    const Failure* first_failure() const;
    /// Reports whether the submission received the maximum number of points.
    bool has_all_points() const;
};

/// One student's results.
struct StudentResults {
    std::string name;                    ///< the student's name, as raw bytes
    std::vector<GradedExercise> graded;  ///< results in the order of the exercises
    std::string platform_name = "";      ///< see Entry::platform_name

    /// Reports whether every exercise has been given points.
    bool is_complete() const;
    /// Returns the sum of the points of all exercises.
    double points() const;
    /// Returns the sum of the possible points of all exercises.
    double possible_points() const;
};

struct ClassResults {
    std::string assignment = "";
    std::string title = "";         ///< the title that students see
    std::int64_t run = 0;           ///< id of the run in the store
    std::string sandbox_note = "";  ///< "unsandboxed" if the run had no sandbox, otherwise ""
    std::vector<std::string> exercises = {};  ///< names of the exercises
    /// For each exercise, the skeleton and the solution. The search for similar submissions ignores
    /// code that occurs in these sources.
    std::vector<std::vector<std::string>> common_sources = {};
    std::vector<StudentResults> students = {};  ///< results of all students, sorted by name
};

/// Reads the last run's results from the store.
ClassResults read_results(const Assignment& assignment, Store& store);

/// Finds a student by name, as raw bytes or in printable form. Returns nullptr if there is no such
/// student.
const StudentResults* find_student(const ClassResults& results, const std::string& name);

}  // namespace coalesce::grader
