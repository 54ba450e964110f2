/// \file
/// The questions that a page can ask the module. README.md describes each question and its
/// answer, both in JSON. If a question has no answer, its function throws a std::exception with a
/// message for the reader.
#pragma once

#include <nlohmann/json.hpp>

namespace coalesce::page {

// Launches of any PTX: launches.cpp.

/// Launches a kernel and returns its counters, its reports, and the accesses of one warp.
nlohmann::json run_launch(const nlohmann::json& question);
/// Predicts the time of a launch by running only the blocks that are recorded.
nlohmann::json predict_launch(const nlohmann::json& question);

// Launches of a kernel of any signature: kernel_launches.cpp.

/// Returns the request to send to the page's compiler.
nlohmann::json request_for_launch(const nlohmann::json& question);
/// Launches a kernel, and returns the reports as a verdict, the counters, and the arrays after the
/// launch.
nlohmann::json launch_any_kernel(const nlohmann::json& question);
/// Predicts the time of a launch, also with larger sizes.
nlohmann::json predict_any_kernel(const nlohmann::json& question);

// The course's exercises: examinations.cpp.

/// Returns the request to send to the page's compiler.
nlohmann::json request_for_compiler(const nlohmann::json& question);
/// Returns the verdict on the compiler's output for a learner's source.
nlohmann::json examine_source(const nlohmann::json& question);
/// Returns the cost of a solution, for use when the book is built.
nlohmann::json cost_of_solution(const nlohmann::json& question);
nlohmann::json hint_for_failure(const nlohmann::json& question);
/// Returns an exercise's prediction questions, with the learner's answers and the actual values.
nlohmann::json predictions_to_make(const nlohmann::json& question);
/// Explains the predicted time in a verdict.
nlohmann::json explain_time(const nlohmann::json& question);
/// Draws the accesses of one warp of the most recently examined source.
nlohmann::json draw_picture(const nlohmann::json& question);

// ---- steps.cpp: the steps of a kernel ----

/// Returns the request to send to the page's compiler for a debug build of the kernel, in which
/// variables stay in memory.
nlohmann::json request_for_steps(const nlohmann::json& question);
/// Returns the recorded steps of one block of a debug build, in which variables stay in memory.
nlohmann::json record_steps(const nlohmann::json& question);

}  // namespace coalesce::page
