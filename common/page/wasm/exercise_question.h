/// \file
/// A question about one of the course's exercises: the exercise, the learner's source, and the
/// reference.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "examiner/course/course.h"
#include "page_runner.h"

namespace coalesce::page {

/// Returns the course that contains the exercise of a question. The course consists of the records
/// in the module and those in the question's "texts", which contains the records of exercises that
/// the module lacks. Courses are cached, so that references to their exercises remain valid.
const course::Course& course_of(const nlohmann::json& question);
/// Returns the exercise that the question names. If the question's "hunt" is true, returns the bug
/// hunt of this exercise instead. Throws std::runtime_error if the course does not have it.
const Exercise& find_exercise(const nlohmann::json& question);
/// Returns the path of an exercise's file, such as "03_tiled/kernel.cu".
std::string exercise_path(const Exercise& exercise);
/// Returns the costs of the solution in the file `path`, or null if they are unknown.
const nlohmann::json& costs_of(const std::string& path);
Source parse_source(const nlohmann::json& question, const Exercise& exercise);

/// Adds the compilation of the reference to a task for clang, unless the module contains the
/// compiled reference.
void add_reference_task(const nlohmann::json& question, const Exercise& exercise,
                        nlohmann::json& task);
/// Returns the compiler's output for the reference: the question's "reference" or, if it is absent,
/// the output in the module. Throws std::runtime_error if both are absent. Returns an empty output
/// if the exercise needs no reference.
CompilerOutput parse_reference_output(const nlohmann::json& question, const Exercise& exercise);

}  // namespace coalesce::page
