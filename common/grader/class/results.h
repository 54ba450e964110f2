/// \file
/// The results of a class: what all reports are written from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/class/manifest.h"
#include "grader/judge/telling.h"
#include "grader/store/store.h"

namespace coalesce::grader {

/// One student's exercise.
struct Graded {
    std::string exercise;          ///< "03_tiled"
    Points possible;               ///< what there was to get
    std::string source;            ///< what was handed in; "": nothing that could be judged
    std::optional<Result> result;  ///< nothing: not graded yet, which is never a zero
    std::string ignored = "";      ///< what was handed in beside it, and was not looked at

    /// "WA", or "SYS" when it is not graded yet.
    std::string code() const;
};

/// One student.
struct StudentResults {
    std::string name;            ///< bytes as they came
    std::vector<Graded> graded;  ///< in the order of the exercises

    /// Whether every exercise has its result.
    bool is_complete() const;
    /// The points of all exercises together.
    double points() const;
    /// All that there was to get.
    double possible() const;
};

/// The class.
struct ClassResults {
    std::string assignment = "";              ///< its name
    std::string title = "";                   ///< for students
    std::int64_t run = 0;                     ///< of the store
    std::string stamp = "";                   ///< "" or "unsandboxed"
    std::vector<std::string> exercises = {};  ///< their names
    /// For each exercise what everybody was given, or could know: its skeleton and its solution.
    std::vector<std::vector<std::string>> common = {};
    std::vector<StudentResults> students = {};  ///< in the order of their names
};

/// Reads the last run's results from the store.
ClassResults read_results(const Assignment& assignment, Store& store);

/// The student of that name as it came, or as it is shown; nullptr when there is none.
const StudentResults* find_student(const ClassResults& results, const std::string& name);

}  // namespace coalesce::grader
