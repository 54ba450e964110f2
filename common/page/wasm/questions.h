/// \file
/// The questions that a page can ask the module. README.md describes each question and its answer,
/// both in JSON. If a function throws a std::exception, the reader sees its message.
#pragma once

#include <nlohmann/json.hpp>

namespace coalesce::page {

// ---- launches.cpp: launches of kernels that are given as PTX ----

/// Launches a kernel and returns its counters, its reports, and the accesses of one warp.
nlohmann::json run_launch(const nlohmann::json& question);
/// Predicts the time of a launch. Runs only the few blocks that are recorded for the prediction.
nlohmann::json predict_launch(const nlohmann::json& question);

// ---- kernel_launches.cpp: launches of kernels that are given as source ----

/// Returns the request to send to the page's compiler.
nlohmann::json request_for_launch(const nlohmann::json& question);
/// Launches a kernel. Returns a verdict with its reports, the counters, and the arrays after the
/// launch.
nlohmann::json launch_any_kernel(const nlohmann::json& question);
/// Predicts the time of a launch whose sizes are all multiplied by the question's "factor".
nlohmann::json predict_any_kernel(const nlohmann::json& question);

/// Returns the request to send to the page's compiler for a debug build of the kernel.
nlohmann::json request_for_launch_steps(const nlohmann::json& question);
/// Launches a debug build of the kernel, and returns the steps of one block.
nlohmann::json record_launch_steps(const nlohmann::json& question);

// ---- examinations.cpp: the course's exercises ----

/// Returns the request to send to the page's compiler.
nlohmann::json request_for_compiler(const nlohmann::json& question);
/// Returns the verdict on the compiler's output for a learner's source.
nlohmann::json examine_source(const nlohmann::json& question);
/// Returns the cost of a solution, for use when the book is built.
nlohmann::json cost_of_solution(const nlohmann::json& question);
nlohmann::json hint_for_failure(const nlohmann::json& question);
/// Returns an exercise's questions about predictions, with the learner's answers and the actual
/// values.
nlohmann::json predictions_to_make(const nlohmann::json& question);
/// Explains why the predicted time in a verdict is what it is.
nlohmann::json explain_time(const nlohmann::json& question);
/// Draws the accesses of one warp of the most recently examined source.
nlohmann::json draw_picture(const nlohmann::json& question);

// ---- steps.cpp: the steps of a learner's kernel ----

/// Returns the request to send to the page's compiler for a debug build of the kernel, in which
/// variables stay in memory.
nlohmann::json request_for_steps(const nlohmann::json& question);
/// Runs the debug build (see request_for_steps) and returns the recorded steps of one block.
nlohmann::json record_steps(const nlohmann::json& question);

}  // namespace coalesce::page
