/// \file
/// The course as described by its records: the steps in order, their kernels, and the expected cost
/// of each kernel. The records are course.toml, steps/NN_name/lesson.toml and
/// solutions/NN_name/exercise.toml.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "examiner/course/course_error.h"
#include "examiner/course/exercise.h"

namespace coalesce::course {

/// The names of the counters for which lesson.toml may give expected values.
inline constexpr const char* kCounterNamesToExpect[] = {"load", "store", "shared_load",
                                                        "shared_store"};

/// A variant of a step: one of its kernels, or host code.
struct Variant {
    std::string name;    ///< the variant's name in the program's --list and --variant options
    std::string kernel;  ///< name of the __global__ function; empty for host code
    /// expected sectors or wavefronts per request, by counter name
    std::map<std::string, double> expected_costs;
    int rows_multiple = 1, cols_multiple = 1;
    int line = 0;  ///< line in lesson.toml
};

/// One program of the course. Its first variant is the main one.
struct Step {
    std::string name;        ///< name of the step's folders, such as "02_naive"
    std::string title = {};  ///< the title, such as "Naive: one thread moves one element"
    /// the name of the earlier step that this step extends; empty for the first step
    std::string builds_on = {};
    std::vector<Variant> variants = {};
    std::optional<Exercise> exercise = {};  ///< the exercise, if there is one
    std::optional<Exercise> hunt = {};      ///< the bug hunt, if there is one

    /// Returns the step's number, such as "02".
    std::string number() const { return step_number(name); }
    /// Returns the variant with this name, or nullptr.
    const Variant* find(const std::string& variant) const;
};

/// Returns the file name of a lesson's program: "program.cu" if the lesson is a complete program,
/// otherwise "main.cu". `folder` is the lesson's folder in steps/.
std::string program_file(const std::filesystem::path& folder);

/// The whole course: its steps in reading order, its other exercises, and its hints.
struct Course {
    /// The lesson before the first step, if there is one. This lesson and its exercise are whole
    /// programs, so they are not in `steps`.
    std::optional<Step> program = {};
    std::vector<Step> steps;
    /// The exercises without a lesson, sorted by name. They have no variants.
    std::vector<Step> beyond_exercises = {};
    std::vector<Hint> hints;  ///< hints for failures in any step

    /// Returns the step with this name or number ("02_naive", "02", "2"), or nullptr.
    const Step* find(const std::string& name_or_number) const;
    /// Returns the step, the whole-program lesson, or the exercise with this name or number.
    /// Returns nullptr if there is none.
    const Step* lesson(const std::string& name_or_number) const;

    /// Returns the exercise's hint for a failure, or the course's hint if the exercise has none. If
    /// `failure` is empty, returns the exercise's general hint. Levels that a hint lacks are taken
    /// from the general hint.
    Hint hint_for(const Exercise& exercise, const std::string& failure) const;
};

/// The text of one of the course's records, and the name of its file for use in messages.
struct CourseText {
    /// the file's path, which ends with course.toml, steps/NN_name/lesson.toml,
    /// solutions/NN_name/exercise.toml or solutions/NAME/reference.cu
    std::string file;
    std::string text;
};
/// Reads the texts of the course's records in the folder `root`. Records that do not exist are
/// skipped.
std::vector<CourseText> read_course_texts(const std::filesystem::path& root);
/// Builds a course from the texts of its records. Throws CourseError if a record is invalid.
Course parse_course(const std::vector<CourseText>& texts);
/// Reads the course in the folder `root`. Throws CourseError if a record is invalid.
Course read_course(const std::filesystem::path& root);

}  // namespace coalesce::course
