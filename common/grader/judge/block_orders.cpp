#include "grader/judge/block_orders.h"

#include <algorithm>
#include <bit>

#include "harness/text.h"

namespace coalesce::grader {
namespace {

/// More accesses than a warp needs before its first load.
constexpr std::size_t kEnough = 64;
/// A grid that the tiles of the shape could fill many times over.
constexpr long long kMostBlocks = 4096;

/// Down along a diagonal, and in each round one column further to the right.
Cell diagonal(int x, int y, int wide, int tall) {
    const int block = y * wide + x;
    const int tile_row = block % tall;
    return {tile_row, (block / tall + tile_row) % wide};
}

/// The first load of the warp from `in`; nothing when it loads nothing.
const simulated::Access* first_load(const Trial& trial) {
    const auto found = std::find_if(
        trial.accesses.begin(), trial.accesses.end(), [](const simulated::Access& access) {
            return !access.is_shared && !access.is_store && access.active != 0;
        });
    return found == trial.accesses.end() ? nullptr : &*found;
}

Cell tile_of(const simulated::Access& load, const Trial& trial, int side) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(load.active));
    const auto element =
        static_cast<std::int64_t>((load.addresses[lane] - trial.in_address) / sizeof(float));
    return {element / trial.shape.cols / side, element % trial.shape.cols / side};
}

Failure wrong_tile(const std::string& file, Shape shape, int x, int y, int line, Cell taken,
                   Cell expected) {
    return {.kind = FailureKind::wrong_block_order,
            .headline = format("block (%d, %d) takes the tile in row %d and column %d of tiles; in "
                               "this lesson's order it is row %d, column %d.",
                               x, y, static_cast<int>(taken.row), static_cast<int>(taken.col),
                               static_cast<int>(expected.row), static_cast<int>(expected.col)),
            .place = {file, line, 0},
            .shape = shape,
            .next =
                "The result is right, only the order is not. Number the blocks, and work out the "
                "tiles of the first few by hand."};
}

}  // namespace

std::optional<BlockOrder> block_order_called(const std::string& name) {
    if (name == "diagonal") return BlockOrder{.tile_of = diagonal};
    return std::nullopt;
}

std::optional<Failure> wrong_order(const BlockOrder& order, const std::string& file_name,
                                   const std::function<Trial(const TracedWarp& traced)>& launch) {
    long long blocks = 1;
    for (long long block = 0; block < blocks; ++block) {
        const Trial trial =
            launch({.block = static_cast<std::uint64_t>(block), .warp = 0, .limit = kEnough});
        if (trial.launch.blocks() > kMostBlocks) return std::nullopt;
        const int wide = static_cast<int>(trial.launch.grid[0]);
        const int tall = static_cast<int>(trial.launch.grid[1]);
        blocks = static_cast<long long>(wide) * tall;
        const simulated::Access* load = first_load(trial);
        if (blocks <= 0 || !load) continue;
        const int x = static_cast<int>(block % wide), y = static_cast<int>(block / wide);
        const Cell expected = order.tile_of(x, y, wide, tall);
        const Cell taken = tile_of(*load, trial, order.tile);
        if (!(taken == expected)) {
            return wrong_tile(file_name, order.shape, x, y, load->line, taken, expected);
        }
    }
    return std::nullopt;
}

}  // namespace coalesce::grader
