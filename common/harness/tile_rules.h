// Whole tiles in the wrong place, or missing: which rule would do that?
#pragma once

#include <string>
#include <vector>

#include "harness/problem.h"

namespace coalesce {

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
