// What a launch of a learner's kernel may do at most. The checks and the grader share these rules, so
// that both give the same verdict.
#pragma once

#include <cstdint>
#include <string>

#include "examiner/failure.h"
#include "examiner/launch_shape.h"

namespace coalesce {

/// Elements of a matrix.
double elements_of(Shape shape);

/// Warp instructions that a launch of so many warps may execute: far more than the clumsiest kernel
/// needs that moves a matrix, and few enough that a loop without end is found at once, even one that
/// prints. A kernel that `prints` may spend more: a line costs the budget as much as many
/// instructions, and printing from every thread is no mistake.
std::uint64_t instruction_budget(Shape shape, double warps, bool prints);

/// Threads of a launch; as a product of integers it may not fit.
double threads_of(const LaunchShape& launch);

/// A grid so large that what it does has nothing to do with the matrix any more; else kind none.
Failure far_too_large(const LaunchShape& launch, Shape shape, const std::string& file);

}  // namespace coalesce
