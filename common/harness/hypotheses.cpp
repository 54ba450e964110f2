#include "harness/hypotheses.h"

#include <algorithm>

#include "harness/rules.h"

namespace coalesce {
namespace {

// ---- whole matrix ----

bool holds_untransposed_value(const ObservedCell& observed_cell) {
    return observed_cell.has_value_of(observed_cell.out) ||
           observed_cell.has_value_of(observed_cell.problem.in_cell(observed_cell.index));
}

bool is_copied_cell(const ObservedCell& observed_cell) {
    const Problem& problem = observed_cell.problem;
    if (problem.is_permuted())
        return observed_cell.has_value_of(problem.in_cell(observed_cell.index));
    return problem.produces.kind == Produces::transpose && holds_untransposed_value(observed_cell);
}

bool is_transposed_cell(const ObservedCell& observed_cell) {
    const Problem& problem = observed_cell.problem;
    if (problem.swaps_rows_and_cols() || problem.is_permuted()) return false;
    return observed_cell.has_value_of({observed_cell.out.col, observed_cell.out.row}) ||
           observed_cell.has_value_of(
               {observed_cell.index % problem.rows, observed_cell.index / problem.rows});
}

/// Reports whether the value was stored at out[a * pitch + b], where `pitch` is not the correct
/// pitch. Several values may then have been stored at the same position.
bool is_stored_with_pitch(const ObservedCell& observed_cell, std::int64_t pitch) {
    constexpr int max_tries = 64;
    const bool swaps_rows_and_cols = observed_cell.problem.swaps_rows_and_cols();
    const std::int64_t length = observed_cell.problem.out_cols();
    std::int64_t major_index = observed_cell.index / pitch;
    for (int tried_count = 0; major_index >= 0 && tried_count < max_tries;
         --major_index, ++tried_count) {
        const std::int64_t minor_index = observed_cell.index - major_index * pitch;
        if (minor_index >= length) return false;
        if (observed_cell.has_value_of(swaps_rows_and_cols ? Cell{minor_index, major_index}
                                                           : Cell{major_index, minor_index}))
            return true;
    }
    return false;
}

bool has_exchanged_pitch(const ObservedCell& observed_cell) {
    const Problem& problem = observed_cell.problem;
    if (problem.rows == problem.cols || !observed_cell.expected || problem.is_permuted())
        return false;
    // If elements are large enough for their values to be unique, the rules in index_rules.cpp
    // identify a wrong pitch more precisely.
    if (observed_cell.pattern.has_unique_values()) return false;
    // Test whether the kernel reads in[row * rows + col].
    const std::int64_t read_index =
        observed_cell.expected->row * problem.rows + observed_cell.expected->col;
    if (read_index < problem.elements() && observed_cell.has_value_of(problem.in_cell(read_index)))
        return true;
    // Test whether the kernel stores with the pitch of the input.
    const std::int64_t wrong_pitch = problem.swaps_rows_and_cols() ? problem.cols : problem.rows;
    return is_stored_with_pitch(observed_cell, wrong_pitch);
}

bool is_rotated_by_180(const ObservedCell& observed_cell) {
    if (!observed_cell.expected) return false;
    const Cell expected_cell = *observed_cell.expected;
    const std::int64_t row = observed_cell.problem.rows - 1 - expected_cell.row;
    const std::int64_t col = observed_cell.problem.cols - 1 - expected_cell.col;
    return observed_cell.has_value_of({row, expected_cell.col}) ||
           observed_cell.has_value_of({expected_cell.row, col}) ||
           observed_cell.has_value_of({row, col});
}

/// Returns a test that checks whether the first `rows` rows and `cols` columns are repeated in all
/// other rows and columns.
auto make_repetition_test(std::int64_t rows, std::int64_t cols) {
    return [=](const ObservedCell& observed_cell) {
        return observed_cell.expected &&
               observed_cell.has_value_of(
                   {observed_cell.expected->row % rows, observed_cell.expected->col % cols});
    };
}
constexpr std::int64_t kAllRowsOrCols = INT64_MAX;

/// Returns a test that checks whether the value comes from a cell `rows` rows and `cols` columns
/// after the correct one.
auto make_neighbour_test(int rows, int cols) {
    return [=](const ObservedCell& observed_cell) {
        return observed_cell.expected &&
               observed_cell.has_value_of(
                   {observed_cell.expected->row + rows, observed_cell.expected->col + cols});
    };
}

// ---- tiles ----

bool is_tile_transposed_in_place(const ObservedCell& observed_cell, int tile) {
    const auto [row, col] = observed_cell.out;
    switch (observed_cell.problem.produces.kind) {
        case Produces::transpose:
            return observed_cell.has_value_of(
                {row / tile * tile + col % tile, col / tile * tile + row % tile});
        case Produces::moved_tiles:
            return tile == observed_cell.problem.produces.tile &&
                   holds_untransposed_value(observed_cell);
        default: return false;
    }
}

bool is_tile_moved_untransposed(const ObservedCell& observed_cell, int tile) {
    const auto [row, col] = observed_cell.out;
    switch (observed_cell.problem.produces.kind) {
        case Produces::transpose:
            return observed_cell.has_value_of(
                {col / tile * tile + row % tile, row / tile * tile + col % tile});
        case Produces::transposed_tiles:
            return tile == observed_cell.problem.produces.tile &&
                   observed_cell.has_value_of(observed_cell.out);
        default: return false;
    }
}

/// Reports whether the value comes from the mirror image of the correct position, within the same
/// tile.
bool is_mirrored_in_tile(const ObservedCell& observed_cell, int tile) {
    if (!observed_cell.expected) return false;
    const auto [row, col] = *observed_cell.expected;
    const std::int64_t mirrored_row = row / tile * tile + (tile - 1 - row % tile);
    const std::int64_t mirrored_col = col / tile * tile + (tile - 1 - col % tile);
    return observed_cell.has_value_of({mirrored_row, col}) ||
           observed_cell.has_value_of({row, mirrored_col}) ||
           observed_cell.has_value_of({mirrored_row, mirrored_col});
}

// ---- arrays ----

using AxisOrder = std::array<int, 4>;

/// Reports whether the value fits an array with its axes permuted by `order`.
bool has_axes_in_order(const ObservedCell& observed_cell, int rank, const AxisOrder& order) {
    Permutation reordered_axes = observed_cell.problem.axes();
    if (!observed_cell.problem.is_permuted() || reordered_axes.rank != rank) return false;
    reordered_axes.order = order;
    return observed_cell.has_value_of(
        observed_cell.problem.in_cell(source_index(reordered_axes, observed_cell.index)));
}

/// Reports whether the value fits an output in which every matrix (or array) of a batch is a copy
/// of the first.
bool is_of_first_batch(const ObservedCell& observed_cell) {
    const Problem& problem = observed_cell.problem;
    if (!problem.is_permuted() || !observed_cell.expected) return false;
    const std::int64_t size = problem.elements() / problem.axes().extents[0];
    const std::int64_t expected_index = problem.index(*observed_cell.expected);
    return expected_index >= size &&
           observed_cell.has_value_of(problem.in_cell(expected_index % size));
}

void add_tile_hypotheses(std::vector<Hypothesis>& hypothesis_list, int tile) {
    const std::string side = " (" + size_text(tile) + ")";
    hypothesis_list.push_back(
        {Fault::tile_not_moved,
         [=](const ObservedCell& observed_cell) {
             return is_tile_transposed_in_place(observed_cell, tile);
         },
         "each tile" + side +
             " was transposed, but stayed where it was: swap the block indices too"});
    hypothesis_list.push_back(
        {Fault::tile_not_transposed,
         [=](const ObservedCell& observed_cell) {
             return is_tile_moved_untransposed(observed_cell, tile);
         },
         "each tile" + side +
             " was stored in the right place, but was not transposed: its rows must "
             "become columns"});
    hypothesis_list.push_back(
        {Fault::tile_repeated, make_repetition_test(tile, tile),
         "the first tile" + side +
             " is repeated in place of the other tiles: blockIdx is missing from an index"});
}

/// Adds tiles that are rotated or mirrored. Leaves groups of two or four rows (or columns) to
/// explain_by_components, which can name the rows (or columns).
void add_mirrored_tiles(std::vector<Hypothesis>& hypothesis_list) {
    for (const int tile : kTileSides) {
        if (tile <= 4) continue;
        hypothesis_list.push_back(
            {Fault::tile_turned_around,
             [=](const ObservedCell& observed_cell) {
                 return is_mirrored_in_tile(observed_cell, tile);
             },
             "each tile (" + size_text(tile) +
                 ") is in the right place, but its rows or columns are in reverse order"});
    }
}

/// Adds all permutations of `rank` axes, except for the identity.
void add_axis_orders(std::vector<Hypothesis>& hypothesis_list, int rank) {
    AxisOrder order = {0, 1, 2, 3};
    while (std::next_permutation(order.begin(), order.begin() + rank)) {
        std::string meaning = "the axes of `in` were permuted to the order";
        for (int k = 0; k < rank; ++k) meaning += " " + std::to_string(order[k]);
        hypothesis_list.push_back({Fault::axes_in_other_order,
                                   [=](const ObservedCell& observed_cell) {
                                       return has_axes_in_order(observed_cell, rank, order);
                                   },
                                   meaning, true});
    }
}

std::vector<Hypothesis> list_hypotheses() {
    std::vector<Hypothesis> hypothesis_list = {
        {Fault::indices_not_swapped, is_copied_cell, "the indices were not swapped"},
        {Fault::indices_swapped, is_transposed_cell,
         "the indices were swapped, but this should be a copy"},
        {Fault::wrong_pitch, has_exchanged_pitch,
         "the length of a row is wrong: rows and cols are swapped"},
    };
    for (const int tile : kTileSides) add_tile_hypotheses(hypothesis_list, tile);
    hypothesis_list.insert(
        hypothesis_list.end(),
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
    add_mirrored_tiles(hypothesis_list);
    for (const int rank : {3, 4}) add_axis_orders(hypothesis_list, rank);
    return hypothesis_list;
}

}  // namespace

const std::vector<Hypothesis>& hypotheses() {
    static const std::vector<Hypothesis> hypothesis_list = list_hypotheses();
    return hypothesis_list;
}

bool is_of_same_tile(const ObservedCell& observed_cell, int tile) {
    if (!observed_cell.source || !observed_cell.expected) return false;
    const Cell actual_cell = *observed_cell.source, expected_cell = *observed_cell.expected;
    return actual_cell.row / tile == expected_cell.row / tile &&
           actual_cell.col / tile == expected_cell.col / tile;
}

bool is_of_untransposed_tile(const ObservedCell& observed_cell, int tile) {
    if (!observed_cell.source || observed_cell.problem.produces.kind != Produces::transpose)
        return false;
    const Cell actual_cell = *observed_cell.source;
    return actual_cell.row % tile == observed_cell.out.row % tile &&
           actual_cell.col % tile == observed_cell.out.col % tile;
}

bool is_of_wrong_tile(const ObservedCell& observed_cell, int tile) {
    if (!observed_cell.source || !observed_cell.expected || is_of_same_tile(observed_cell, tile))
        return false;
    const Cell actual_cell = *observed_cell.source, expected_cell = *observed_cell.expected;
    return actual_cell.row % tile == expected_cell.row % tile &&
           actual_cell.col % tile == expected_cell.col % tile;
}

}  // namespace coalesce
