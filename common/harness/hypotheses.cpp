#include "harness/hypotheses.h"

#include <algorithm>

#include "harness/rules.h"

namespace coalesce {
namespace {

// ---- whole matrix ----

bool holds_copy(const ObservedCell& look) {
    return look.has_value_of(look.out) || look.has_value_of(look.problem.in_cell(look.index));
}

bool is_copied_cell(const ObservedCell& look) {
    const Problem& problem = look.problem;
    if (problem.is_permuted()) return look.has_value_of(problem.in_cell(look.index));
    return problem.produces.kind == Produces::transpose && holds_copy(look);
}

bool is_transposed_cell(const ObservedCell& look) {
    const Problem& problem = look.problem;
    if (problem.is_turned() || problem.is_permuted()) return false;
    return look.has_value_of({look.out.col, look.out.row}) ||
           look.has_value_of({look.index % problem.rows, look.index / problem.rows});
}

/// Reports whether the value was stored at out[a * pitch + b], where `pitch` is not the correct
/// pitch. Several values may then have been stored at the same position.
bool is_stored_with_pitch(const ObservedCell& look, std::int64_t pitch) {
    constexpr int most_tries = 64;
    const bool turned = look.problem.is_turned();
    const std::int64_t length = look.problem.out_cols();
    std::int64_t a = look.index / pitch;
    for (int tries = 0; a >= 0 && tries < most_tries; --a, ++tries) {
        const std::int64_t b = look.index - a * pitch;
        if (b >= length) return false;
        if (look.has_value_of(turned ? Cell{b, a} : Cell{a, b})) return true;
    }
    return false;
}

bool has_exchanged_pitch(const ObservedCell& look) {
    const Problem& problem = look.problem;
    if (problem.rows == problem.cols || !look.expected || problem.is_permuted()) return false;
    // If elements are large enough for their values to be unique, the rules in index_rules.cpp
    // identify a wrong pitch more precisely.
    if (look.pattern.has_unique_values()) return false;
    // Test whether the kernel reads in[row * rows + col].
    const std::int64_t read = look.expected->row * problem.rows + look.expected->col;
    if (read < problem.elements() && look.has_value_of(problem.in_cell(read))) return true;
    // Test whether the kernel stores with the pitch of the input.
    const std::int64_t wrong = problem.is_turned() ? problem.cols : problem.rows;
    return is_stored_with_pitch(look, wrong);
}

bool is_rotated_by_180(const ObservedCell& look) {
    if (!look.expected) return false;
    const Cell right = *look.expected;
    const std::int64_t row = look.problem.rows - 1 - right.row;
    const std::int64_t col = look.problem.cols - 1 - right.col;
    return look.has_value_of({row, right.col}) || look.has_value_of({right.row, col}) ||
           look.has_value_of({row, col});
}

/// Returns a test that checks whether the first `rows` rows and `cols` columns are repeated in all
/// other rows and columns.
auto make_repetition_test(std::int64_t rows, std::int64_t cols) {
    return [=](const ObservedCell& look) {
        return look.expected &&
               look.has_value_of({look.expected->row % rows, look.expected->col % cols});
    };
}
constexpr std::int64_t kAllRowsOrCols = INT64_MAX;

/// Returns a test that checks whether the value comes from a cell `rows` rows and `cols` columns
/// after the correct one.
auto make_neighbour_test(int rows, int cols) {
    return [=](const ObservedCell& look) {
        return look.expected &&
               look.has_value_of({look.expected->row + rows, look.expected->col + cols});
    };
}

// ---- tiles ----

bool is_tile_transposed_in_place(const ObservedCell& look, int tile) {
    const auto [row, col] = look.out;
    switch (look.problem.produces.kind) {
        case Produces::transpose:
            return look.has_value_of(
                {row / tile * tile + col % tile, col / tile * tile + row % tile});
        case Produces::moved_tiles: return tile == look.problem.produces.tile && holds_copy(look);
        default: return false;
    }
}

bool is_tile_moved_untransposed(const ObservedCell& look, int tile) {
    const auto [row, col] = look.out;
    switch (look.problem.produces.kind) {
        case Produces::transpose:
            return look.has_value_of(
                {col / tile * tile + row % tile, row / tile * tile + col % tile});
        case Produces::transposed_tiles:
            return tile == look.problem.produces.tile && look.has_value_of(look.out);
        default: return false;
    }
}

/// Reports whether the value comes from the mirror image of the correct position, within the same
/// tile.
bool is_turned_around_in_tile(const ObservedCell& look, int tile) {
    if (!look.expected) return false;
    const auto [row, col] = *look.expected;
    const std::int64_t other_row = row / tile * tile + (tile - 1 - row % tile);
    const std::int64_t other_col = col / tile * tile + (tile - 1 - col % tile);
    return look.has_value_of({other_row, col}) || look.has_value_of({row, other_col}) ||
           look.has_value_of({other_row, other_col});
}

// ---- arrays ----

using Order = std::array<int, 4>;

/// Reports whether the value fits an array with its axes permuted by `order`.
bool has_axes_in_order(const ObservedCell& look, int rank, const Order& order) {
    Permutation other = look.problem.axes();
    if (!look.problem.is_permuted() || other.rank != rank) return false;
    other.order = order;
    return look.has_value_of(look.problem.in_cell(source_index(other, look.index)));
}

/// Reports whether the value fits an output in which every matrix (or array) of a batch is a copy
/// of the first.
bool is_of_first_batch(const ObservedCell& look) {
    const Problem& problem = look.problem;
    if (!problem.is_permuted() || !look.expected) return false;
    const std::int64_t size = problem.elements() / problem.axes().extents[0];
    const std::int64_t right = problem.index(*look.expected);
    return right >= size && look.has_value_of(problem.in_cell(right % size));
}

void add_tiles(std::vector<Hypothesis>& list, int tile) {
    const std::string side = " (" + size_text(tile) + ")";
    list.push_back(
        {Fault::tile_not_moved,
         [=](const ObservedCell& look) { return is_tile_transposed_in_place(look, tile); },
         "each tile" + side +
             " was transposed, but stayed where it was: swap the block indices too"});
    list.push_back(
        {Fault::tile_not_transposed,
         [=](const ObservedCell& look) { return is_tile_moved_untransposed(look, tile); },
         "each tile" + side +
             " was stored in the right place, but was not transposed: its rows must "
             "become columns"});
    list.push_back(
        {Fault::tile_repeated, make_repetition_test(tile, tile),
         "the first tile" + side +
             " is repeated in place of the other tiles: blockIdx is missing from an index"});
}

/// Adds tiles that are rotated or mirrored. Leaves groups of two or four rows (or columns) to
/// explain_by_components, which can name the rows (or columns).
void add_turned_tiles(std::vector<Hypothesis>& list) {
    for (const int tile : kTileSides) {
        if (tile <= 4) continue;
        list.push_back(
            {Fault::tile_turned_around,
             [=](const ObservedCell& look) { return is_turned_around_in_tile(look, tile); },
             "each tile (" + size_text(tile) +
                 ") is in the right place, but its rows or columns are in reverse order"});
    }
}

/// Adds all permutations of `rank` axes, except for the identity.
void add_orders(std::vector<Hypothesis>& list, int rank) {
    Order order = {0, 1, 2, 3};
    while (std::next_permutation(order.begin(), order.begin() + rank)) {
        std::string meaning = "the axes of `in` were permuted to the order";
        for (int k = 0; k < rank; ++k) meaning += " " + std::to_string(order[k]);
        list.push_back(
            {Fault::axes_in_other_order,
             [=](const ObservedCell& look) { return has_axes_in_order(look, rank, order); },
             meaning, true});
    }
}

std::vector<Hypothesis> list_hypotheses() {
    std::vector<Hypothesis> list = {
        {Fault::indices_not_swapped, is_copied_cell, "the indices were not swapped"},
        {Fault::indices_swapped, is_transposed_cell,
         "the indices were swapped, but this should be a copy"},
        {Fault::wrong_pitch, has_exchanged_pitch,
         "the length of a row is wrong: rows and cols are swapped"},
    };
    for (const int tile : kTileSides) add_tiles(list, tile);
    list.insert(
        list.end(),
        {{Fault::line_repeated, make_repetition_test(1, kAllRowsOrCols),
          "the first row of the input is repeated in place of the other rows: an index does not "
          "depend on the row"},
         {Fault::line_repeated, make_repetition_test(kAllRowsOrCols, 1),
          "the first column of the input is repeated in place of the other columns: an index does "
          "not depend on the column"},
         {Fault::turned_around, is_rotated_by_180,
          "the matrix was rotated or mirrored instead of transposed"},
         {Fault::batch_repeated, is_of_first_batch,
          "the first slice along the first axis is repeated in place of the other slices: the "
          "index of this axis is missing where the input is read",
          true},
         {Fault::off_by_one_row, make_neighbour_test(1, 0),
          "off by one row: the value comes from the next row"},
         {Fault::off_by_one_col, make_neighbour_test(0, 1),
          "off by one column: the value comes from the next column"},
         {Fault::off_by_one_row, make_neighbour_test(-1, 0),
          "off by one row: the value comes from the previous row"},
         {Fault::off_by_one_col, make_neighbour_test(0, -1),
          "off by one column: the value comes from the previous column"}});
    add_turned_tiles(list);
    for (const int rank : {3, 4}) add_orders(list, rank);
    return list;
}

}  // namespace

const std::vector<Hypothesis>& hypotheses() {
    static const std::vector<Hypothesis> list = list_hypotheses();
    return list;
}

bool is_of_same_tile(const ObservedCell& look, int tile) {
    if (!look.source || !look.expected) return false;
    const Cell is = *look.source, should = *look.expected;
    return is.row / tile == should.row / tile && is.col / tile == should.col / tile;
}

bool is_of_untransposed_tile(const ObservedCell& look, int tile) {
    if (!look.source || look.problem.produces.kind != Produces::transpose) return false;
    const Cell is = *look.source;
    return is.row % tile == look.out.row % tile && is.col % tile == look.out.col % tile;
}

bool is_of_wrong_tile(const ObservedCell& look, int tile) {
    if (!look.source || !look.expected || is_of_same_tile(look, tile)) return false;
    const Cell is = *look.source, should = *look.expected;
    return is.row % tile == should.row % tile && is.col % tile == should.col % tile;
}

}  // namespace coalesce
