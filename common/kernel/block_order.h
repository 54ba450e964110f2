// Which tile each block takes: seen from the first address that it loads. Two kernels whose blocks
// take other tiles cost the same on the simulated GPU, and not on a real one.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/problem.h"
#include "kernel/trial.h"

namespace coalesce {

/// An order in which blocks take tiles.
struct BlockOrder {
    const char* name;  ///< in course.toml: one of kBlockOrders
    /// The tile, as its row and column among tiles, of block (x, y) of a grid `wide` x `tall`. Null: any
    /// order in which most blocks take both another row and another column than the block before.
    Cell (*tile_of)(int x, int y, int wide, int tall);
    Shape shape;          ///< the shape on which it is looked at: each block is a launch
    int tile = 32;        ///< the side of a tile
    int most_blocks = 0;  ///< so many are looked at, spread over the grid; 0: all
};

/// The order of that name; nullptr for "".
const BlockOrder* block_order_called(const std::string& name);

/// The first block that takes another tile than the order has for it. Launches once for each block that
/// is looked at. Nothing when all blocks take their tiles, or when there are more blocks than tiles could need.
std::optional<Failure> wrong_block_order(const BlockOrder& order, const std::string& file_name,
                                         const std::function<Trial(const TrialOrder&)>& launch);

}  // namespace coalesce
