#include "harness/rules.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce {
namespace {

/// A rule that predicts which tile is stored in the position where tile `expected_tile` belongs.
struct TileMoveRule {
    Cell (*find_actual_tile)(Cell expected_tile, Cell tiles);
    const char* text;
};

Cell tile_at(std::int64_t row, std::int64_t col) {
    return {row, col};
}

/// Returns the tile with the index `number`, if tiles are numbered row by row and each row has
/// `count` tiles.
Cell tile_in_row_order(std::int64_t number, std::int64_t count) {
    return {number / count, number % count};
}

/// Returns the tile with the index `number`, if tiles are numbered column by column and each column
/// has `count` tiles.
Cell tile_in_column_order(std::int64_t number, std::int64_t count) {
    return {number % count, number / count};
}

constexpr TileMoveRule kMoveRules[] = {
    {[](Cell expected_tile, Cell) { return tile_at(expected_tile.col, expected_tile.row); },
     "rows and columns of tiles are swapped"},
    {[](Cell expected_tile, Cell tiles) {
         return tile_at(tiles.row - 1 - expected_tile.row, expected_tile.col);
     },
     "the rows of tiles are in reverse order"},
    {[](Cell expected_tile, Cell tiles) {
         return tile_at(expected_tile.row, tiles.col - 1 - expected_tile.col);
     },
     "the columns of tiles are in reverse order"},
    {[](Cell expected_tile, Cell tiles) {
         return tile_at(tiles.row - 1 - expected_tile.row, tiles.col - 1 - expected_tile.col);
     },
     "rows and columns of tiles are in reverse order"},
    {[](Cell expected_tile, Cell tiles) {
         return tile_at(expected_tile.row, (expected_tile.col + expected_tile.row) % tiles.col);
     },
     "each row of tiles is shifted by its own index. Is a diagonal order used only for reading, "
     "or only for storing?"},
    {[](Cell expected_tile, Cell tiles) {
         return tile_at((expected_tile.row + expected_tile.col) % tiles.row, expected_tile.col);
     },
     "each column of tiles is shifted by its own index. Is a diagonal order used only for "
     "reading, or only for storing?"},
    {[](Cell expected_tile, Cell tiles) {
         return tile_in_row_order(expected_tile.row * tiles.col + expected_tile.col, tiles.row);
     },
     "the block number seems to be divided by the number of tile rows instead of the number of "
     "tile columns"},
    {[](Cell expected_tile, Cell tiles) {
         return tile_in_column_order(expected_tile.col * tiles.row + expected_tile.row, tiles.col);
     },
     "the block number seems to be divided by the number of tile columns instead of the number of "
     "tile rows"},
    {[](Cell expected_tile, Cell tiles) {
         return tile_in_column_order(expected_tile.row * tiles.col + expected_tile.col, tiles.row);
     },
     "the blocks seem to be numbered along rows of tiles on one side and along columns on the "
     "other"},
    {[](Cell expected_tile, Cell tiles) {
         return tile_in_row_order(expected_tile.col * tiles.row + expected_tile.row, tiles.col);
     },
     "the blocks seem to be numbered along columns of tiles on one side and along rows on the "
     "other"},
};

/// Returns the shortest step from the expected tile to the actual tile. The step may cross an edge
/// and continue at the opposite edge.
Cell find_shortest_step(const TileMove& move, Cell tiles) {
    return {wrap_to_shortest(move.actual.row - move.expected.row, tiles.row),
            wrap_to_shortest(move.actual.col - move.expected.col, tiles.col)};
}

std::string describe_constant_shift(Cell tiles, const std::vector<TileMove>& moves) {
    const Cell step = find_shortest_step(moves.front(), tiles);
    const bool is_constant = std::all_of(moves.begin(), moves.end(), [&](const TileMove& move) {
        return find_shortest_step(move, tiles) == step;
    });
    if (!is_constant || step == Cell{}) return "";
    return "each tile comes from " + distances_text(step, "tile", "tile") +
           ", with wrap-around at the edges";
}

/// Reports whether the rule describes the moves in either direction, because the mistake may be in
/// the loads or in the stores.
bool explains_moves(const TileMoveRule& rule, Cell tiles, const std::vector<TileMove>& moves) {
    const auto fits_loads = [&](const TileMove& move) {
        return rule.find_actual_tile(move.expected, tiles) == move.actual;
    };
    const auto fits_stores = [&](const TileMove& move) {
        return rule.find_actual_tile(move.actual, tiles) == move.expected;
    };
    return std::all_of(moves.begin(), moves.end(), fits_loads) ||
           std::all_of(moves.begin(), moves.end(), fits_stores);
}

/// A rule that predicts which tile is processed by the block with the index `number`. If the
/// predicted tile is outside the grid, the block processes no tile.
struct BlockTileRule {
    Cell (*tile_of_block)(std::int64_t number, Cell tiles);
    const char* text;
};

constexpr BlockTileRule kBlockTileRules[] = {
    {[](std::int64_t n, Cell) { return tile_at(n, n); }, "tile_row = n, tile_col = n"},
    {[](std::int64_t n, Cell tiles) { return tile_at(n % tiles.row, n % tiles.col); },
     "tile_row = n % R, tile_col = n % C"},
    {[](std::int64_t n, Cell tiles) {
         return tile_at(n % tiles.row, n / tiles.row + n % tiles.row);
     },
     "tile_row = n % R, tile_col = n / R + tile_row (without wrapping around)"},
    {[](std::int64_t n, Cell tiles) {
         return tile_at(n / tiles.col + n % tiles.col, n % tiles.col);
     },
     "tile_col = n % C, tile_row = n / C + tile_col (without wrapping around)"},
    {[](std::int64_t n, Cell tiles) { return tile_in_row_order(n, tiles.row); },
     "tile_row = n / R, tile_col = n % R"},
    {[](std::int64_t n, Cell tiles) { return tile_in_column_order(n, tiles.col); },
     "tile_row = n % C, tile_col = n / C"},
    {[](std::int64_t n, Cell tiles) {
         return tile_at(n % tiles.row, (n / tiles.row + n % tiles.row) % tiles.row);
     },
     "tile_row = n % R, tile_col = (n / R + tile_row) % R"},
    {[](std::int64_t n, Cell tiles) {
         return tile_at(n % tiles.row, (n / tiles.col + n % tiles.row) % tiles.col);
     },
     "tile_row = n % R, tile_col = (n / C + tile_row) % C"},
    {[](std::int64_t n, Cell tiles) {
         return tile_at(n % tiles.col, (n / tiles.col + n % tiles.col) % tiles.col);
     },
     "tile_row = n % C, tile_col = (n / C + tile_row) % C"},
    {[](std::int64_t n, Cell tiles) {
         return tile_at(n % tiles.col, (n / tiles.row + n % tiles.col) % tiles.col);
     },
     "tile_row = n % C, tile_col = (n / R + tile_row) % C"},
    {[](std::int64_t n, Cell tiles) {
         return tile_at(n / tiles.col, n % tiles.col + n / tiles.col);
     },
     "tile_row = n / C, tile_col = n % C + tile_row (without wrapping around)"},
};

std::vector<bool> find_missed_tiles_by_rule(const BlockTileRule& rule, Cell tiles) {
    const std::int64_t count = tiles.row * tiles.col;
    std::vector<bool> missed_tiles(static_cast<std::size_t>(count), true);
    for (std::int64_t number = 0; number < count; ++number) {
        const Cell tile = rule.tile_of_block(number, tiles);
        const bool is_inside = tile.row < tiles.row && tile.col < tiles.col;
        if (is_inside)
            missed_tiles[static_cast<std::size_t>(tile.row * tiles.col + tile.col)] = false;
    }
    return missed_tiles;
}

}  // namespace

std::string find_move_rule(Cell tiles, const std::vector<TileMove>& moves) {
    constexpr int max_rules = 2;
    if (moves.empty()) return "";
    std::string text = describe_constant_shift(tiles, moves);
    int rule_count = !text.empty();
    for (const TileMoveRule& rule : kMoveRules) {
        if (rule_count == max_rules || !explains_moves(rule, tiles, moves)) continue;
        text += (rule_count++ > 0 ? "; or " : "") + std::string(rule.text);
    }
    return text;
}

std::string find_missed_tiles_rule(Cell tiles, const std::vector<bool>& missed_tiles) {
    constexpr int max_rules = 2;
    std::string text;
    int rule_count = 0;
    for (const BlockTileRule& rule : kBlockTileRules) {
        if (rule_count == max_rules || find_missed_tiles_by_rule(rule, tiles) != missed_tiles)
            continue;
        text += (rule_count++ > 0 ? ", or " : "") + std::string(rule.text);
    }
    return text;
}

}  // namespace coalesce
