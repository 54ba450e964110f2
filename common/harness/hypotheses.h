// Simple mistakes, each as a rule: which cell of the input would be found where?
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/faults.h"
#include "harness/look.h"

namespace coalesce {

/// A mistake that says, for a cell of the output, what it would hold.
struct Hypothesis {
    Fault fault;
    /// Whether it explains what that cell holds.
    std::function<bool(const Look& look)> explains;
    /// What the mistake is, after "out(0,1) holds in(0,1), expected in(1,0): ".
    std::string meaning;
    /// It looks at the whole array; the others look at one matrix of a batch.
    bool is_of_array = false;
};

/// All of them; where two explain the same, the earlier one is meant.
const std::vector<Hypothesis>& hypotheses();

/// The sides that tiles are looked for in.
inline constexpr int kTileSides[] = {32, 16, 64, 8, 128, 4, 2};

/// Right place within a tile of that side, but of another tile.
bool is_of_wrong_tile(const Look& look, int tile);
/// A tile of that side that is not transposed but should be, wherever it stands.
bool is_of_unturned_tile(const Look& look, int tile);
/// The right tile of that side, but another place within it.
bool is_of_same_tile(const Look& look, int tile);

}  // namespace coalesce
