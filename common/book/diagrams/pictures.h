// The pictures of the lessons.
#pragma once

#include <string>
#include <vector>

#include "recording.h"

namespace coalesce::diagrams {

/// Draws the accesses of one warp of the variant: the lanes, and the sectors or banks that they
/// access.
std::string draw_warp_picture(const Recording& recording, const std::string& variant);

/// A variant whose tile is drawn, and the recording that contains the variant.
struct RecordedTile {
    const Recording* recording;
    std::string variant;
};
/// Draws the shared memory of each tile as rows of 32 banks. Marks the words that a warp reads with
/// one load.
std::string draw_banks_picture(const std::vector<RecordedTile>& tiles);

/// Draws an animation of two tiles side by side. Each word lights up when a wavefront delivers it.
std::string draw_wavefront_picture(const RecordedTile& left, const RecordedTile& right);

/// Draws the tiles of a matrix once for each variant, and marks the tiles that the variant's first
/// blocks read.
std::string draw_block_order_picture(const Recording& recording,
                                     const std::vector<std::string>& variants);

}  // namespace coalesce::diagrams
