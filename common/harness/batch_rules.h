// A batch of matrices, each to be transposed by itself: mistakes in which one is where.
#pragma once

#include "harness/problem.h"
#include "harness/sample.h"

namespace coalesce {

/// "it fits matrices of 32 rows each, where they have 64"; "the matrices are right by themselves, but
/// stand in reverse order"; "it fits matrices that are looked for 64 elements apart": the one that
/// explains most. `sample` has places in the whole array. Its count is 0 when none explains anything.
Explanation explain_by_batches(const Problem& problem, const Sample& sample);

}  // namespace coalesce
