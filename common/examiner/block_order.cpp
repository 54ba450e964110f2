#include "examiner/costs.h"

#include <stdexcept>
#include <utility>

#include "examiner/block_places.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// Returns the tile that block (x, y) takes if the blocks follow the diagonals of the tile grid.
/// Each diagonal starts one column to the right of the previous one.
Cell diagonal_tile(int x, int y, int wide, int tall) {
    const int block = y * wide + x;
    const int tile_row = block % tall;
    return {tile_row, (block / tall + tile_row) % wide};
}

/// Returns the tile that block (x, y) takes if the rows and columns of tiles are divided among four
/// GPUs. Consecutive blocks take tiles that belong to the four GPUs in turn. `wide` must be a
/// multiple of 4.
Cell row_by_row_tile(int x, int y, int wide, int tall) {
    const int gpu = y / ((tall + 3) / 4);
    return {y, (x + gpu) % 4 * (wide / 4) + x / 4};
}

constexpr BlockOrder kBlockOrderTable[] = {{"diagonal", diagonal_tile, {96, 128}},
                                           {"any-diagonal", nullptr, {96, 128}},
                                           {"in-turn", row_by_row_tile, {160, 256}}};

/// The number of accesses to record, large enough to include a warp's first load.
constexpr std::size_t kMaxRecordedAccesses = 64;
/// The maximum number of blocks in a grid whose order is checked. A larger grid has far more blocks
/// than the matrix has tiles.
constexpr long long kMaxCheckedBlocks = 4096;

/// The tile that a block takes, and the source line that loads from it.
struct TakenTile {
    Cell tile;
    int line = 0;
};

/// Returns the tile that the traced warp loads from first, or nothing if the warp loads nothing.
std::optional<TakenTile> find_taken_tile(const Trial& trial, int side) {
    const auto load = find_first_load(trial);
    if (!load) return std::nullopt;
    const std::int64_t element = load->element;
    return TakenTile{{element / trial.shape.cols / side, element % trial.shape.cols / side},
                     load->line};
}

/// Returns the number of tiles across and down. A grid with several rows has one block per tile. If
/// the grid has only one row, the numbers are computed from the size of the matrix.
std::pair<int, int> tile_grid_size(const Trial& trial, const BlockOrder& order) {
    const int wide = static_cast<int>(trial.launch.grid[0]);
    const int tall = static_cast<int>(trial.launch.grid[1]);
    if (tall > 1) return {wide, tall};
    return {order.shape.cols / order.tile, order.shape.rows / order.tile};
}

std::string pair_text(std::int64_t first, std::int64_t second) {
    return "(" + std::to_string(first) + ", " + std::to_string(second) + ")";
}

Failure wrong_tile(const std::string& file, Shape shape, int x, int y, const TakenTile& taken,
                   Cell expected) {
    return {.kind = FailureKind::wrong_block_order,
            .headline =
                "block " + pair_text(x, y) + " takes the tile in row " +
                std::to_string(taken.tile.row) + " and column " + std::to_string(taken.tile.col) +
                " of tiles; in this lesson's order it is row " + std::to_string(expected.row) +
                ", column " + std::to_string(expected.col) + ".",
            .place = {file, taken.line, 0},
            .shape = shape,
            .next =
                "The result is right, but the order of the blocks is not. Number the blocks, and "
                "work out the tiles of the first few by hand."};
}

long long block_count(const Trial& trial) {
    return static_cast<long long>(trial.launch.grid[0]) * trial.launch.grid[1];
}

/// Returns how many blocks apart the checked blocks are. An odd distance spreads them over several
/// columns.
long long checked_block_stride(const BlockOrder& order, long long blocks) {
    return order.max_blocks > 0 ? blocks / order.max_blocks | 1 : 1;
}

/// Returns a failure if most of the checked blocks take a tile in the same row or column of tiles
/// as the next block.
std::optional<Failure> find_undiagonal_order(const BlockOrder& order, const std::string& file_name,
                                             const std::function<Trial(long long)>& launch_for) {
    int pairs = 0, sharing = 0;
    Failure failure{
        .kind = FailureKind::wrong_block_order,
        .shape = order.shape,
        .next =
            "The result is right, but the blocks do not follow a diagonal of tiles. Along a "
            "diagonal, the next block takes a tile in another row and another column."};
    long long blocks = 2, step = 1;
    for (long long block = 0; block + 1 < blocks; block += step) {
        const Trial trial = launch_for(block);
        if (trial.launch.blocks() > kMaxCheckedBlocks) return std::nullopt;
        blocks = block_count(trial);
        step = checked_block_stride(order, blocks);
        if (block + 1 >= blocks) break;
        const auto first = find_taken_tile(trial, order.tile);
        const auto second = find_taken_tile(launch_for(block + 1), order.tile);
        if (!first || !second) continue;
        ++pairs;
        const bool is_row = first->tile.row == second->tile.row;
        if (!is_row && first->tile.col != second->tile.col) continue;
        if (sharing++ > 0) continue;
        failure.headline = "blocks " + std::to_string(block) + " and " + std::to_string(block + 1) +
                           ", counted along the rows of the grid, take " + "tiles of the same " +
                           (is_row ? "row" : "column") + " of tiles: " +
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

std::optional<Failure> wrong_block_order(const BlockOrder& order, const std::string& file_name,
                                         const std::function<Trial(const TrialRequest&)>& launch) {
    const auto launch_for = [&](long long block) {
        return launch({.shape = order.shape,
                       .traced = {static_cast<std::uint64_t>(block), 0, kMaxRecordedAccesses}});
    };
    if (!order.tile_for_block) return find_undiagonal_order(order, file_name, launch_for);
    long long blocks = 1, step = 1;
    for (long long block = 0; block < blocks; block += step) {
        const Trial trial = launch_for(block);
        if (trial.launch.blocks() > kMaxCheckedBlocks) return std::nullopt;
        blocks = block_count(trial);
        step = checked_block_stride(order, blocks);
        const auto [wide, tall] = tile_grid_size(trial, order);
        const auto taken = find_taken_tile(trial, order.tile);
        if (!taken) continue;
        const int x = static_cast<int>(block % wide), y = static_cast<int>(block / wide);
        const Cell expected = order.tile_for_block(x, y, wide, tall);
        if (!(taken->tile == expected)) {
            const auto across = static_cast<int>(trial.launch.grid[0]);
            return wrong_tile(file_name, order.shape, static_cast<int>(block % across),
                              static_cast<int>(block / across), *taken, expected);
        }
    }
    return std::nullopt;
}

}  // namespace coalesce
