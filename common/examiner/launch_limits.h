// Limits on a launch of a learner's kernel. The checks and the grader share these limits, so that
// both give the same verdict.
#pragma once

#include <cstdint>
#include <string>

#include "examiner/failure.h"
#include "examiner/launch_shape.h"

namespace coalesce {

double element_count(Shape shape);

/// Returns the number of warp instructions that a launch may execute. The budget is far larger than
/// any correct kernel needs, but small enough to stop an infinite loop quickly. A kernel that
/// prints has a larger budget, because printing takes many instructions.
std::uint64_t instruction_budget(Shape shape, double warps, bool can_print);

/// Returns the number of threads in a launch. The result is a double, because an integer could
/// overflow.
double thread_count(const LaunchShape& launch);

/// Returns a failure if the grid is too large to have been intended for the matrix. Otherwise
/// returns a failure of kind `none`.
Failure find_oversized_grid(const LaunchShape& launch, Shape shape, const std::string& file);

}  // namespace coalesce
