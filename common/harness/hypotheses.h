// Hypotheses about simple mistakes. Each hypothesis predicts which cell of the input a wrong value
// comes from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/faults.h"
#include "harness/look.h"

namespace coalesce {

/// A possible mistake, with a function that reports whether the mistake explains a wrong cell of
/// the output.
struct Hypothesis {
    Fault fault;
    /// Reports whether the mistake explains the contents of the cell.
    std::function<bool(const ObservedCell& observed_cell)> explains;
    /// A description of the mistake. In messages, it follows "out(0,1) holds in(0,1), expected
    /// in(1,0): ".
    std::string meaning;
    /// Whether the mistake concerns the whole array. All other mistakes concern a single matrix of
    /// a batch.
    bool is_of_array = false;
};

/// Returns all hypotheses. If two hypotheses explain the same cells, the earlier one is preferred.
const std::vector<Hypothesis>& hypotheses();

/// The tile sides that the diagnosis tries, in order of preference.
inline constexpr int kTileSides[] = {32, 16, 64, 8, 128, 4, 2};

/// Reports whether the value comes from the correct position within its tile, but from the wrong
/// tile. Tiles have `tile` rows and columns.
bool is_of_wrong_tile(const ObservedCell& observed_cell, int tile);
/// Reports whether the value has the same position within its tile in the input and in the output.
/// If so, the tile was not transposed.
bool is_of_untransposed_tile(const ObservedCell& observed_cell, int tile);
/// Reports whether the value comes from the correct tile, but from a different position within the
/// tile.
bool is_of_same_tile(const ObservedCell& observed_cell, int tile);

}  // namespace coalesce
