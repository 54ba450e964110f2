#include "examiner/costs.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/text.h"

namespace coalesce {
namespace {

/// Returns the tile that block (x, y) processes if the blocks follow the diagonals of the tile
/// grid. Each diagonal starts one column to the right of the previous one.
Cell diagonal_tile(int x, int y, int wide, int tall) {
    const int block = y * wide + x;
    const int tile_row = block % tall;
    return {tile_row, (block / tall + tile_row) % wide};
}

/// Returns the tile that block (x, y) processes if the rows and the columns of tiles are both
/// divided among four GPUs. From one block to the next along x, the tile moves to the columns of
/// the next GPU. `wide` must be a multiple of 4.
Cell row_by_row_tile(int x, int y, int wide, int tall) {
    const int gpu = y / ((tall + 3) / 4);
    return {y, (x + gpu) % 4 * (wide / 4) + x / 4};
}

constexpr BlockOrder kBlockOrderTable[] = {{"diagonal", diagonal_tile, {96, 128}},
                                           {"any-diagonal", nullptr, {96, 128}},
                                           {"in-turn", row_by_row_tile, {160, 256}}};

/// The maximum number of blocks in a grid whose order is checked. A larger grid would have far more
/// blocks than the matrix has tiles.
constexpr long long kMaxCheckedBlocks = 4096;

/// The tile that a block processes, and the line of the warp's first access to global memory. The
/// kernel chooses the tile just before this line.
struct TakenTile {
    Cell tile;
    int line = 0;
};

/// Returns the tile that the traced warp processes: the tile to which its stores go, or nothing if
/// it stores no element. If the grid has a block for each tile, a store outside the expected tile
/// determines the result, even if the warp also stores to the expected tile. Loads are not
/// considered, because a kernel can load elements that it does not need.
std::optional<TakenTile> find_taken_tile(const Trial& trial, int side, Cell expected) {
    const bool is_alone = trial.launch.blocks() * side * side >=
                          static_cast<long long>(trial.shape.rows) * trial.shape.cols;
    std::optional<TakenTile> taken;
    int line = 0;
    for (const simulated::Access& access : trial.accesses) {
        if (access.is_shared) continue;
        if (line == 0) line = access.line;
        if (!access.is_store) continue;
        for (const std::uint64_t address : access.active_addresses()) {
            const auto element =
                static_cast<std::int64_t>((address - trial.out_address) / sizeof(float));
            const Cell tile{element % trial.shape.rows / side, element / trial.shape.rows / side};
            if (!taken) taken = TakenTile{tile, line};
            if (!is_alone || !(tile == expected)) return TakenTile{tile, line};
        }
    }
    return taken;
}

/// Returns the tile of the first element that the traced warp stores.
std::optional<TakenTile> find_first_tile(const Trial& trial, int side) {
    return find_taken_tile(trial, side, {-1, -1});
}

/// Returns the tile that the block with the linear index `block` must process in the lesson's
/// order. Blocks are numbered in the order in which they are launched, regardless of the number of
/// grid dimensions.
Cell expected_tile(const BlockOrder& order, long long block) {
    const int wide = order.shape.cols / order.tile, tall = order.shape.rows / order.tile;
    return order.tile_for_block(static_cast<int>(block % wide), static_cast<int>(block / wide),
                                wide, tall);
}

std::string pair_text(std::int64_t first, std::int64_t second) {
    return "(" + std::to_string(first) + ", " + std::to_string(second) + ")";
}

Failure explain_wrong_tile(const std::string& file, const Trial& trial, long long block,
                           const TakenTile& taken, Cell expected) {
    const auto x = block % trial.launch.grid[0], y = block / trial.launch.grid[0];
    return {
        .kind = FailureKind::wrong_block_order,
        .headline = "block " + pair_text(x, y) + " processes the tile at tile row " +
                    std::to_string(taken.tile.row) + ", column " + std::to_string(taken.tile.col) +
                    ", but in the order of this lesson it should process the tile at tile row " +
                    std::to_string(expected.row) + ", column " + std::to_string(expected.col) + ".",
        .place = {file, taken.line, 0},
        .shape = trial.shape,
        .next =
            "The result is correct, but the order of the blocks is not. Number the blocks, and "
            "work out by hand which tiles the first few process."};
}

/// Returns the distance between checked blocks, as a number of blocks. An odd distance spreads them
/// over several columns.
long long checked_block_stride(const BlockOrder& order, long long blocks) {
    return order.max_blocks > 0 ? blocks / order.max_blocks | 1 : 1;
}

/// Returns a failure if, for most of the checked blocks, the next block's tile is in the same row
/// or column of tiles.
std::optional<Failure> find_undiagonal_order(const BlockOrder& order, const std::string& file_name,
                                             const std::function<Trial(long long)>& launch_for) {
    int pairs = 0, sharing = 0;
    Failure failure{
        .kind = FailureKind::wrong_block_order,
        .shape = order.shape,
        .next =
            "The result is correct, but the blocks do not follow a diagonal of tiles. Along a "
            "diagonal, the next block processes a tile in a different row and a different column."};
    long long blocks = 2, step = 1;
    for (long long block = 0; block + 1 < blocks; block += step) {
        const Trial trial = launch_for(block);
        if (trial.launch.blocks() > kMaxCheckedBlocks) return std::nullopt;
        blocks = trial.launch.blocks();
        step = checked_block_stride(order, blocks);
        if (block + 1 >= blocks) break;
        const auto first = find_first_tile(trial, order.tile);
        const auto second = find_first_tile(launch_for(block + 1), order.tile);
        if (!first || !second) continue;
        ++pairs;
        const bool is_row = first->tile.row == second->tile.row;
        if (!is_row && first->tile.col != second->tile.col) continue;
        if (sharing++ > 0) continue;
        failure.headline = "blocks " + std::to_string(block) + " and " + std::to_string(block + 1) +
                           ", counted along the rows of the grid, process tiles in the same tile " +
                           (is_row ? "row" : "column") + ": " +
                           std::to_string(is_row ? first->tile.row : first->tile.col) + ".";
        failure.place = {file_name, first->line, 0};
    }
    if (2 * sharing <= pairs) return std::nullopt;
    return failure;
}

}  // namespace

const BlockOrder* find_block_order(const std::string& name) {
    if (name.empty()) return nullptr;
    for (const BlockOrder& order : kBlockOrderTable) {
        if (name == order.name) return &order;
    }
    throw std::invalid_argument("there is no block order \"" + name + "\"");
}

std::optional<Failure> find_wrong_block_order(
    const BlockOrder& order, const std::string& file_name,
    const std::function<Trial(const TrialRequest&)>& launch) {
    unsigned warps = 1;
    // Trace a different warp in each block, so that a kernel cannot fake the order in a single
    // warp.
    const auto launch_for = [&](long long block) {
        const auto number = static_cast<std::uint64_t>(block);
        const Trial trial =
            launch({.shape = order.shape,
                    .traced = {number, static_cast<unsigned>((5 * number + 3) % warps),
                               kMaxTracedAccesses}});
        warps = static_cast<unsigned>(std::max<long long>(1, trial.launch.threads() / 32));
        return trial;
    };
    if (!order.tile_for_block) return find_undiagonal_order(order, file_name, launch_for);
    const long long tiles =
        static_cast<long long>(order.shape.rows / order.tile) * (order.shape.cols / order.tile);
    long long blocks = 1, step = 1;
    for (long long block = 0; block < std::min(blocks, tiles); block += step) {
        const Trial trial = launch_for(block);
        if (trial.launch.blocks() > kMaxCheckedBlocks) return std::nullopt;
        blocks = trial.launch.blocks();
        step = checked_block_stride(order, blocks);
        const Cell expected = expected_tile(order, block);
        const auto taken = find_taken_tile(trial, order.tile, expected);
        if (taken && !(taken->tile == expected))
            return explain_wrong_tile(file_name, trial, block, *taken, expected);
    }
    return std::nullopt;
}

}  // namespace coalesce
