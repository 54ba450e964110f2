/// \file
/// A question about one of the course's exercises: the exercise, the learner's source, and the
/// reference.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "examiner/course/course.h"
#include "page_runner.h"

namespace coalesce::page {

/// Returns the course for a question. If the exercise is not in the module, the question's "texts"
/// contains its records. Courses are cached, so that references to their exercises remain valid.
const course::Course& course_of(const nlohmann::json& question);
/// Returns the exercise of a question, or its bug hunt. Throws std::runtime_error if there is none.
const Exercise& find_exercise(const nlohmann::json& question);
/// Returns the path of an exercise's file, such as "03_tiled/kernel.cu".
std::string exercise_path(const Exercise& exercise);
/// Returns the costs of the solution in this file, or null if they are unknown.
const nlohmann::json& costs_of(const std::string& path);
Source parse_source(const nlohmann::json& question, const Exercise& exercise);

/// Adds the compilation of the reference to a task for clang, unless the module contains the
/// compiled reference.
void add_reference_task(const nlohmann::json& question, const Exercise& exercise,
                        nlohmann::json& task);
/// Returns the compiler's output for the reference, either from the question or from the module.
CompilerOutput parse_reference_output(const nlohmann::json& question, const Exercise& exercise);

}  // namespace coalesce::page
