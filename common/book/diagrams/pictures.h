// The pictures of the lessons.
#pragma once

#include <string>
#include <vector>

#include "recording.h"

namespace coalesce::diagrams {

/// Draws what a warp of the variant accesses: lanes and sectors, or lanes and banks. Each kind of
/// access is drawn once.
std::string draw_warp_picture(const Recording& recording, const std::string& variant);

/// A variant whose tile is drawn, and the recording of its step.
struct RecordedTile {
    const Recording* recording;
    std::string variant;
};
/// Draws shared memory as rows of 32 banks, and marks the words that a warp reads together.
std::string draw_banks_picture(const std::vector<RecordedTile>& tiles);

/// Draws two tiles side by side. For a few seconds, the words of each tile light up as wavefronts
/// deliver them.
std::string draw_race_picture(const RecordedTile& left, const RecordedTile& right);

/// Draws the tiles of a matrix, each with the number of the block that processes it.
std::string draw_block_order_picture(const Recording& recording,
                                     const std::vector<std::string>& variants);

}  // namespace coalesce::diagrams
