// Wrong indices: another length of a row, or a constant that is added. Unlike the hypotheses, these
// have numbers that are taken from what the output holds.
#pragma once

#include "harness/problem.h"
#include "harness/sample.h"

namespace coalesce {

/// "it fits in[row * rows + col] where in[row * cols + col] belongs": the lengths of a row, in
/// reading and in storing, that explain most. Its count is 0 when none explains anything.
Explanation explain_by_pitch(const Problem& problem, const Sample& sample);

/// "that is 4 elements too far on in in": the constant distance that explains most.
Explanation explain_by_shift(const Problem& problem, const Sample& sample);

/// "of each 2 neighbouring rows of the input the 2nd, 1st stand where the 1st, 2nd belong": rows or
/// columns exchanged or repeated within groups of 2 or 4, as the components of vectors are.
Explanation explain_by_components(const Problem& problem, const Sample& sample);

}  // namespace coalesce
