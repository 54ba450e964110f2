// The limits of a launch of a learner's kernel. The checks and the grader share them, so that both give the same
// verdict.
#pragma once

#include <cstdint>
#include <string>

#include "examiner/failure.h"
#include "examiner/launch_shape.h"

namespace coalesce {

/// Returns the number of elements of a matrix.
double elements_of(Shape shape);

/// Returns the number of warp instructions that a launch may execute. The budget is far more than the clumsiest
/// kernel needs to move the matrix, and small enough to find an endless loop at once, even one that prints. A kernel
/// that `prints` has a larger budget, because a printed line counts as many instructions and printing from every
/// thread is no mistake.
std::uint64_t instruction_budget(Shape shape, double warps, bool prints);

/// Returns the number of threads of a launch. As an integer it could overflow.
double threads_of(const LaunchShape& launch);

/// Returns a failure if the grid is so large that it cannot have been meant for the matrix, otherwise one of kind
/// none.
Failure far_too_large(const LaunchShape& launch, Shape shape, const std::string& file);

}  // namespace coalesce
