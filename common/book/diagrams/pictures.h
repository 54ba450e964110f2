// The pictures of the lessons.
#pragma once

#include <string>
#include <vector>

#include "recording.h"

namespace coalesce::diagrams {

/// Draws the accesses of one warp of the variant: the lanes of the warp, and the sectors or banks
/// that the lanes access.
std::string draw_warp_picture(const Recording& recording, const std::string& variant);

/// A variant whose tile is drawn, and the recording in which the variant is found.
struct RecordedTile {
    const Recording* recording;
    std::string variant;
};
/// Draws the shared memory of each tile as rows of 32 banks, and marks the words that one load of a
/// warp reads.
std::string draw_banks_picture(const std::vector<RecordedTile>& tiles);

/// Draws an animation of two tiles side by side. Each word lights up when a wavefront delivers it.
std::string draw_wavefront_picture(const RecordedTile& left, const RecordedTile& right);

/// Draws the tiles of a matrix, once for each variant. In each drawing, marks the tiles that the
/// first blocks of the variant read.
std::string draw_block_order_picture(const Recording& recording,
                                     const std::vector<std::string>& variants);

}  // namespace coalesce::diagrams
