#include "examiner/costs.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/text.h"

namespace coalesce {
namespace {

/// Returns the tile that block (x, y) processes if the blocks follow the diagonals of the tile
/// grid. Each diagonal starts one column to the right of the previous one.
Cell diagonal_tile(int x, int y, int tile_cols, int tile_rows) {
    const int block = y * tile_cols + x;
    const int tile_row = block % tile_rows;
    return {tile_row, (block / tile_rows + tile_row) % tile_cols};
}

/// Returns the tile that block (x, y) processes if the rows and the columns of tiles are both
/// divided among four GPUs. From one block to the next along x, the tile moves to the columns of
/// the next GPU. `tile_cols` must be a multiple of 4.
Cell row_by_row_tile(int x, int y, int tile_cols, int tile_rows) {
    const int gpu = y / ((tile_rows + 3) / 4);
    return {y, (x + gpu) % 4 * (tile_cols / 4) + x / 4};
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
std::optional<TakenTile> find_taken_tile(const Trial& trial, int side, Cell expected_tile) {
    const bool is_alone = trial.launch.blocks() * side * side >=
                          static_cast<long long>(trial.shape.rows) * trial.shape.cols;
    std::optional<TakenTile> tile_taken;
    int line = 0;
    for (const simulated::Access& access : trial.accesses) {
        if (access.is_shared) continue;
        if (line == 0) line = access.line;
        if (!access.is_store) continue;
        for (const std::uint64_t address : access.active_addresses()) {
            const auto element =
                static_cast<std::int64_t>((address - trial.out_address) / sizeof(float));
            const Cell tile{element % trial.shape.rows / side, element / trial.shape.rows / side};
            if (!tile_taken) tile_taken = TakenTile{tile, line};
            if (!is_alone || !(tile == expected_tile)) return TakenTile{tile, line};
        }
    }
    return tile_taken;
}

/// Returns the tile of the first element that the traced warp stores.
std::optional<TakenTile> find_first_tile(const Trial& trial, int side) {
    return find_taken_tile(trial, side, {-1, -1});
}

/// Returns the tile that the block with the linear index `block` must process in the lesson's
/// order. Blocks are numbered in the order in which they are launched, regardless of the number of
/// grid dimensions.
Cell expected_tile(const BlockOrder& block_order, long long block) {
    const int tile_cols = block_order.shape.cols / block_order.tile,
              tile_rows = block_order.shape.rows / block_order.tile;
    return block_order.tile_for_block(static_cast<int>(block % tile_cols),
                                      static_cast<int>(block / tile_cols), tile_cols, tile_rows);
}

std::string pair_text(std::int64_t first, std::int64_t second) {
    return "(" + std::to_string(first) + ", " + std::to_string(second) + ")";
}

/// The GPUs that blocks (0, y) to (3, y) serve, and the GPU that holds their rows.
struct RowOfTurns {
    long long y = 0;
    std::int64_t holder = 0;
    std::vector<std::int64_t> served = {};

    /// Reports whether each block serves the GPU after that of the block before.
    bool is_in_turn() const {
        for (std::size_t x = 0; x < served.size(); ++x) {
            if (served[x] != (served[0] + static_cast<std::int64_t>(x)) % 4) return false;
        }
        return served.size() == 4;
    }
};

/// Returns the advice on which GPU the first block of a row must serve. Returns "" if the blocks of
/// some row do not serve the GPUs in turn.
std::string advice_on_first_gpu(const std::vector<RowOfTurns>& rows) {
    if (rows.empty() || !std::ranges::all_of(rows, &RowOfTurns::is_in_turn)) return "";
    const std::string begin =
        "The result is correct, and neighbouring blocks serve the GPUs in turn, but the first "
        "block of a row must serve the GPU that holds its rows. ";
    const auto all_begin_with = [&](auto start) {
        return std::ranges::all_of(
            rows, [&](const RowOfTurns& row) { return row.served[0] == (start(row) % 4 + 4) % 4; });
    };
    if (all_begin_with([&](const RowOfTurns&) { return rows[0].served[0]; })) {
        return begin + "Here all of them begin with GPU " + std::to_string(rows[0].served[0]) +
               ": add the number of the GPU that holds the rows to blockIdx.x, before the "
               "remainder is taken.";
    }
    for (const std::int64_t late : {1, 2, 3}) {
        if (!all_begin_with([&](const RowOfTurns& row) { return row.holder + late; })) continue;
        return begin + "Here they begin " +
               (late == 1 ? "one GPU" : std::to_string(late) + " GPUs") +
               " after it: add only the number of that GPU to blockIdx.x.";
    }
    if (all_begin_with([&](const RowOfTurns& row) { return -row.holder; }))
        return begin + "Add the number of that GPU to blockIdx.x; do not subtract it.";
    for (const RowOfTurns& row : rows) {
        const auto other = std::ranges::find_if(rows, [&](const RowOfTurns& one) {
            return one.holder == row.holder && one.served[0] != row.served[0];
        });
        if (other == rows.end()) continue;
        return begin + "GPU " + std::to_string(row.holder) + " holds the rows of blocks (0, " +
               std::to_string(row.y) + ") and (0, " + std::to_string(other->y) +
               "), but they begin with GPUs " + std::to_string(row.served[0]) + " and " +
               std::to_string(other->served[0]) +
               ": add the number of that GPU, not the row of tiles.";
    }
    return begin + "Add the number of that GPU to blockIdx.x, before the remainder is taken.";
}

/// Returns the GPUs that the first four blocks of each row of the grid serve.
std::vector<RowOfTurns> list_turns(const LaunchShape& launch, Shape shape,
                                   const std::function<Trial(long long)>& launch_for) {
    constexpr std::int64_t gpus = 4, side = 32;
    const std::int64_t tiles_of_gpu = shape.cols / side / gpus;
    const long long width = launch.grid[0], height = launch.grid[1];
    std::vector<RowOfTurns> rows;
    if (width < gpus || height < gpus || tiles_of_gpu < 1) return rows;
    for (long long y = 0; y < height; ++y) {
        RowOfTurns row{.y = y, .holder = y / ((height + gpus - 1) / gpus)};
        for (long long x = 0; x < gpus; ++x) {
            const auto tile = find_first_tile(launch_for(y * width + x), side);
            if (tile) row.served.push_back(tile->tile.col / tiles_of_gpu);
        }
        rows.push_back(row);
    }
    return rows;
}

Failure explain_wrong_tile(const std::string& file, const Trial& trial, long long block,
                           const TakenTile& tile_taken, Cell expected_tile, bool is_in_turn) {
    const auto x = block % trial.launch.grid[0], y = block / trial.launch.grid[0];
    constexpr std::int64_t gpus = 4, side = 32;
    const std::int64_t tiles_of_gpu = trial.shape.cols / side / gpus;
    if (is_in_turn && tile_taken.tile.row == expected_tile.row && tiles_of_gpu > 0 &&
        tile_taken.tile.col / tiles_of_gpu != expected_tile.col / tiles_of_gpu) {
        return {.kind = FailureKind::wrong_block_order,
                .headline = "block " + pair_text(x, y) + " stores to the part of GPU " +
                            std::to_string(tile_taken.tile.col / tiles_of_gpu) +
                            ", but in the order of this lesson it should serve GPU " +
                            std::to_string(expected_tile.col / tiles_of_gpu) + ".",
                .place = {file, tile_taken.line, 0},
                .shape = trial.shape,
                .advice =
                    "The result is correct, but the order of the blocks is not. Serve the "
                    "GPUs in turn: from each block to the next along x, the GPU changes, and "
                    "blockIdx.x / GPUS is the number of the tile in the GPU's part."};
    }
    return {
        .kind = FailureKind::wrong_block_order,
        .headline = "block " + pair_text(x, y) + " processes the tile at tile row " +
                    std::to_string(tile_taken.tile.row) + ", column " +
                    std::to_string(tile_taken.tile.col) +
                    ", but in the order of this lesson it should process the tile at tile row " +
                    std::to_string(expected_tile.row) + ", column " +
                    std::to_string(expected_tile.col) + ".",
        .place = {file, tile_taken.line, 0},
        .shape = trial.shape,
        .advice =
            "The result is correct, but the order of the blocks is not. Number the blocks, and "
            "work out by hand which tiles the first few process."};
}

/// Returns the distance between checked blocks, as a number of blocks. An odd distance spreads them
/// over several columns.
long long checked_block_stride(const BlockOrder& block_order, long long blocks) {
    return block_order.max_blocks > 0 ? blocks / block_order.max_blocks | 1 : 1;
}

/// Returns a failure if, for most of the checked blocks, the next block's tile is in the same row
/// or column of tiles.
std::optional<Failure> find_undiagonal_order(const BlockOrder& block_order,
                                             const std::string& file_name,
                                             const std::function<Trial(long long)>& launch_for) {
    int pairs = 0, sharing_count = 0;
    Failure failure{
        .kind = FailureKind::wrong_block_order,
        .shape = block_order.shape,
        .advice =
            "The result is correct, but the blocks do not follow a diagonal of tiles. Along a "
            "diagonal, the next block processes a tile in a different row and a different column."};
    long long blocks = 2, step = 1;
    for (long long block = 0; block + 1 < blocks; block += step) {
        const Trial trial = launch_for(block);
        if (trial.launch.blocks() > kMaxCheckedBlocks) return std::nullopt;
        blocks = trial.launch.blocks();
        step = checked_block_stride(block_order, blocks);
        if (block + 1 >= blocks) break;
        const auto first_tile = find_first_tile(trial, block_order.tile);
        const auto second_tile = find_first_tile(launch_for(block + 1), block_order.tile);
        if (!first_tile || !second_tile) continue;
        ++pairs;
        const bool is_row = first_tile->tile.row == second_tile->tile.row;
        if (!is_row && first_tile->tile.col != second_tile->tile.col) continue;
        if (sharing_count++ > 0) continue;
        failure.headline = "blocks " + std::to_string(block) + " and " + std::to_string(block + 1) +
                           ", counted along the rows of the grid, process tiles in the same tile " +
                           (is_row ? "row" : "column") + ": " +
                           std::to_string(is_row ? first_tile->tile.row : first_tile->tile.col) +
                           ".";
        failure.place = {file_name, first_tile->line, 0};
    }
    if (2 * sharing_count <= pairs) return std::nullopt;
    return failure;
}

}  // namespace

const BlockOrder* find_block_order(const std::string& name) {
    if (name.empty()) return nullptr;
    for (const BlockOrder& block_order : kBlockOrderTable) {
        if (name == block_order.name) return &block_order;
    }
    throw std::invalid_argument("there is no block order \"" + name + "\"");
}

std::optional<Failure> find_wrong_block_order(
    const BlockOrder& block_order, const std::string& file_name,
    const std::function<Trial(const TrialRequest&)>& launch) {
    unsigned warps = 1;
    // Trace a different warp in each block, so that a kernel cannot fake the order in a single
    // warp.
    const auto launch_for = [&](long long block) {
        const auto number = static_cast<std::uint64_t>(block);
        const Trial trial =
            launch({.shape = block_order.shape,
                    .traced = {number, static_cast<unsigned>((5 * number + 3) % warps),
                               kMaxTracedAccesses}});
        warps = static_cast<unsigned>(std::max<long long>(1, trial.launch.threads() / 32));
        return trial;
    };
    if (!block_order.tile_for_block)
        return find_undiagonal_order(block_order, file_name, launch_for);
    const long long tiles = static_cast<long long>(block_order.shape.rows / block_order.tile) *
                            (block_order.shape.cols / block_order.tile);
    long long blocks = 1, step = 1;
    for (long long block = 0; block < std::min(blocks, tiles); block += step) {
        const Trial trial = launch_for(block);
        if (trial.launch.blocks() > kMaxCheckedBlocks) return std::nullopt;
        blocks = trial.launch.blocks();
        step = checked_block_stride(block_order, blocks);
        const Cell expected_cell = expected_tile(block_order, block);
        const auto tile_taken = find_taken_tile(trial, block_order.tile, expected_cell);
        if (!tile_taken || tile_taken->tile == expected_cell) continue;
        const bool is_in_turn = block_order.tile_for_block == row_by_row_tile;
        Failure failure =
            explain_wrong_tile(file_name, trial, block, *tile_taken, expected_cell, is_in_turn);
        if (!is_in_turn) return failure;
        const std::string advice =
            advice_on_first_gpu(list_turns(trial.launch, block_order.shape, launch_for));
        if (!advice.empty()) failure.advice = advice;
        return failure;
    }
    return std::nullopt;
}

}  // namespace coalesce
