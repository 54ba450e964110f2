/// \file
/// Reads and writes an assignment, which is a folder.
///
///     NAME/handout/       files for students: README.md, exercises/NN_name/kernel.cu
///     NAME/teacher/       files hidden from students, readable only by the owner (0700):
///         assignment.toml     the exercises, changes to their requirements, and the points;
///                             may be edited
///         hidden.toml         the shapes that only the teacher knows
///         key                 64 hexadecimal digits, from which all inputs are derived
///         solutions/NN_name/  kernel.cu, and mutants.toml for `assignment verify`
///         store.sqlite        submissions and results
///         results/            grades.csv and all other reports
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// The rule that determines which submission counts if a student submits a file more than once.
enum class CountedAttempt { last, best, first };
constexpr CountedAttempt last_of(CountedAttempt) {
    return CountedAttempt::first;
}

/// The contents of an assignment.
struct Assignment {
    std::filesystem::path folder;  ///< the assignment's folder, NAME/
    std::string name;              ///< name of the assignment's folder
    std::string title;             ///< the title that students see
    int epoch = 1;                 ///< incremented by the teacher to change the secret inputs
    /// which submission counts if there are several
    CountedAttempt counted_attempt = CountedAttempt::last;
    std::vector<AssignedExercise> exercises;  ///< the exercises, with hidden shapes and solutions
    std::string key;                          ///< content of the key file: 64 hexadecimal digits

    /// Returns the folder of the teacher's files.
    std::filesystem::path teacher_folder() const { return folder / "teacher"; }
    /// Returns the folder of the reports.
    std::filesystem::path results() const { return teacher_folder() / "results"; }
    std::filesystem::path store() const { return teacher_folder() / "store.sqlite"; }
    /// Returns the exercise with this name or number, or nullptr if there is none.
    const AssignedExercise* find(const std::string& name_or_number) const;
    /// Returns the secret of an exercise. Each exercise has its own secret for each epoch.
    Secret secret(const AssignedExercise& exercise) const;
    /// Returns the maximum points of the assignment, summed over all exercises.
    double points() const;
};

/// Returns the course's folder: the value of COALESCE_COURSE or, if this variable is not set, the
/// folder from which the program was built.
std::filesystem::path course_folder();

/// Returns the path of the running executable, which the grader starts again as a child process.
std::string current_executable();

/// Reads an assignment. If the assignment contains a mistake, throws a UsageError that names the
/// file and the line, and says how to fix the mistake.
Assignment read_assignment(const std::filesystem::path& folder);

/// Returns the text of assignment.toml.
std::string manifest_text(const Assignment& assignment);
/// Returns the text of hidden.toml.
std::string hidden_text(const Assignment& assignment);

/// Returns a digest of an exercise's requirements, including hidden shapes, points and solution.
/// Results are stored under keys with this digest, so that a changed requirement does not overwrite
/// old results.
std::string requirements_digest(const AssignedExercise& exercise);

/// Returns the folder of the assignment with this name: `folder`/NAME.
std::filesystem::path assignment_folder(const std::filesystem::path& folder,
                                        const std::string& name);

}  // namespace coalesce::grader
