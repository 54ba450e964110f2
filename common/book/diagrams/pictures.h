// The pictures of the lessons.
#pragma once

#include <string>
#include <vector>

#include "recording.h"

namespace coalesce::diagrams {

/// What the warp of a variant asks for: lanes onto sectors, lanes onto banks, each kind of access once.
std::string warp_picture(const Recording& recording, const std::string& variant);

/// A variant whose tile is drawn, and of which step.
struct Tile {
    const Recording* recording;
    std::string variant;
};
/// Shared memory as rows of 32 banks, with the words that a warp reads at once.
std::string banks_picture(const std::vector<Tile>& tiles);

/// Two tiles side by side, in which the words light up as wavefronts serve them: for some seconds, once.
std::string race_picture(const Tile& left, const Tile& right);

/// The tiles of a matrix, each with the number of the block that takes it.
std::string order_picture(const Recording& recording, const std::vector<std::string>& variants);

}  // namespace coalesce::diagrams
