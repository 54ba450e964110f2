/// \file
/// The course as its records state it: its steps in order, their kernels, and what each must cost. The records are
/// course.toml, steps/NN_name/lesson.toml and solutions/NN_name/exercise.toml.
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

/// The counters that can be expected of a kernel, by their names in lesson.toml.
inline constexpr const char* kExpectable[] = {"load", "store", "shared_load", "shared_store"};

/// One kernel of a step, or one piece of host code.
struct Variant {
    std::string name;                      ///< as its program's --list and --variant have it
    std::string kernel;                    ///< the __global__ function; empty for host code
    std::map<std::string, double> expect;  ///< of kExpectable: sectors or wavefronts per request
    int rows_multiple = 1, cols_multiple = 1;
    int line = 0;  ///< in lesson.toml
};

/// One program of the course. Its first variant is the headline.
struct Step {
    std::string name;            ///< "02_naive", the name of its folders
    std::string title = {};      ///< "Naive: one thread moves one element"
    std::string builds_on = {};  ///< the name of an earlier step; empty for the first
    std::vector<Variant> variants = {};
    std::optional<Exercise> exercise = {};  ///< what the learner writes, where there is something
    std::optional<Exercise> hunt = {};      ///< the bug hunt, where there is one

    /// "02"
    std::string number() const { return name.substr(0, 2); }
    /// The variant of that name, or nullptr.
    const Variant* find(const std::string& variant) const;
};

/// All steps, in the order in which they are to be read.
struct Course {
    /// The lesson before the steps, if there is one: a whole program, and so is its exercise. It has no
    /// kernel that takes a matrix, and no variants. It stands beside the steps and not among them, so
    /// that whoever goes through them finds kernels to count, to time and to draw, and nothing else.
    std::optional<Step> program = {};
    std::vector<Step> steps;
    std::vector<Hint> hints;  ///< for failures, whatever the step

    /// The step of that name or number ("02_naive", "02", "2"), or nullptr.
    const Step* find(const std::string& name_or_number) const;
    /// The same, and the program's lesson too.
    const Step* lesson(const std::string& name_or_number) const;

    /// The hint for a failure ("" for none): the exercise's own one, else the course's, with the levels
    /// that it lacks taken from the one for all. Its `failures` are those of the hint that was chosen.
    Hint hint_for(const Exercise& exercise, const std::string& failure) const;
};

/// One record of the course: its text, and its file as messages name it.
struct CourseText {
    std::string
        file;  ///< ends with course.toml, steps/NN_name/lesson.toml or solutions/NN_name/exercise.toml
    std::string text;
};
/// The records below the course's folder, as far as they exist.
std::vector<CourseText> course_texts(const std::filesystem::path& root);
/// The course that these records make; throws CourseError.
Course course_of_texts(const std::vector<CourseText>& texts);
/// The course whose folder is `root`; throws CourseError.
Course read_course(const std::filesystem::path& root);

}  // namespace coalesce::course
