// The list of simple mistakes. Each is a rule that predicts which cell of the input a wrong cell
// would hold.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/faults.h"
#include "harness/look.h"

namespace coalesce {

/// A possible mistake, which predicts what each cell of the output would hold.
struct Hypothesis {
    Fault fault;
    /// Reports whether the mistake explains what the cell holds.
    std::function<bool(const Look& look)> explains;
    /// A description of the mistake, which follows "out(0,1) holds in(0,1), expected in(1,0): ".
    std::string meaning;
    /// Whether the rule is about the whole array. The other rules are about a single matrix of a
    /// batch.
    bool is_of_array = false;
};

/// Returns all hypotheses. If two of them explain the same cells, the earlier one is preferred.
const std::vector<Hypothesis>& hypotheses();

/// The sides of the tiles that the diagnosis looks for, in the order of preference.
inline constexpr int kTileSides[] = {32, 16, 64, 8, 128, 4, 2};

/// Reports whether the value has the right position within a tile of that side, but comes from
/// another tile.
bool is_of_wrong_tile(const Look& look, int tile);
/// Reports whether the value comes from a tile of that side, anywhere, that should have been
/// transposed and was not.
bool is_of_unturned_tile(const Look& look, int tile);
/// Reports whether the value comes from the right tile of that side, but from another position
/// within it.
bool is_of_same_tile(const Look& look, int tile);

}  // namespace coalesce
