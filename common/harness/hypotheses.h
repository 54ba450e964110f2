// The list of simple mistakes. Each predicts which cell of the input a wrong cell would contain.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/faults.h"
#include "harness/look.h"

namespace coalesce {

/// A possible mistake that predicts the contents of each cell of the output.
struct Hypothesis {
    Fault fault;
    /// Reports whether the mistake explains the contents of the cell.
    std::function<bool(const Look& look)> explains;
    /// A description of the mistake. Messages put "out(0,1) holds in(0,1), expected in(1,0): "
    /// before it.
    std::string meaning;
    /// Whether the mistake concerns the whole array. All others concern a single matrix of a batch.
    bool is_of_array = false;
};

/// Returns all hypotheses. If two explain the same cells, the earlier one is preferred.
const std::vector<Hypothesis>& hypotheses();

/// The sides of tiles that the diagnosis tries, in the order of preference.
inline constexpr int kTileSides[] = {32, 16, 64, 8, 128, 4, 2};

/// Reports whether the value is from the right position within a tile of that side, but from
/// another tile.
bool is_of_wrong_tile(const Look& look, int tile);
/// Reports whether the value is from the right position of any tile of that side, but without the
/// transposition within the tile.
bool is_of_unturned_tile(const Look& look, int tile);
/// Reports whether the value is from the right tile of that side, but from another position within
/// it.
bool is_of_same_tile(const Look& look, int tile);

}  // namespace coalesce
