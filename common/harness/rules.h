// The rules that are tried on what is wrong, and have numbers or places to find.
#pragma once

#include <string>
#include <vector>

#include "harness/problem.h"
#include "harness/sample.h"

namespace coalesce {

// ---- wrong indices: another length of a row, or a constant that is added. Unlike the hypotheses, these
// have numbers that are taken from what the output holds ----

/// "it fits in[row * rows + col] where in[row * cols + col] belongs": the lengths of a row, in
/// reading and in storing, that explain most. Its count is 0 when none explains anything.
Explanation explain_by_pitch(const Problem& problem, const Sample& sample);

/// "that is 4 elements too far on in in": the constant distance that explains most.
Explanation explain_by_shift(const Problem& problem, const Sample& sample);

/// "of each 2 neighbouring rows of the input the 2nd, 1st stand where the 1st, 2nd belong": rows or
/// columns exchanged or repeated within groups of 2 or 4, as the components of vectors are.
Explanation explain_by_components(const Problem& problem, const Sample& sample);

// ---- a batch of matrices, each to be transposed by itself: mistakes in which one is where ----

/// "it fits matrices of 32 rows each, where they have 64"; "the matrices are right by themselves, but
/// stand in reverse order"; "it fits matrices that are looked for 64 elements apart": the one that
/// explains most. `sample` has places in the whole array. Its count is 0 when none explains anything.
Explanation explain_by_batches(const Problem& problem, const Sample& sample);

// ---- whole tiles in the wrong place, or missing ----

/// A tile of the input that should stand somewhere, and the one that does; by tile row and column.
struct TileMove {
    Cell should, holds;
};

/// "each tile is 1 tile too far down", or several joined by "; or" when they fit equally well; ""
/// when no simple rule fits.
std::string rule_of_moves(Cell tiles, const std::vector<TileMove>& moves);

/// How blocks would have to take tiles for exactly those (row by row) to be missed, as a formula; ""
/// when no simple one fits.
std::string rule_of_missed(Cell tiles, const std::vector<bool>& missed);

}  // namespace coalesce
