// The next action after each kind of wrong result.
#include <algorithm>
#include <iterator>

#include "examiner/rules.h"

namespace coalesce {
namespace {

/// What is said otherwise where the task is no transposition from `in` to `out`; null: nothing.
const char* next_elsewhere(Fault fault, const Produces& task) {
    if (fault == Fault::wrong_pitch) {
        if (task.in_place) return "How long is a row? As long as the matrix has columns: its side.";
        if (task.kind == Produces::copy) {
            return "How long is a row? It has cols elements, in both matrices.";
        }
        if (task.kind != Produces::transpose) {
            return "How long is a row, in `in` and in `out`? It is as long as that matrix has "
                   "columns.";
        }
    }
    if (!task.in_place) return nullptr;
    switch (fault) {
        case Fault::nothing_written: return "Write the body: each pair must change places.";
        case Fault::never_written:
            return "Find out which threads should have stored the cells marked in the map: does "
                   "every pair of tiles have a block, and so does every tile on the diagonal?";
        case Fault::indices_not_swapped: return "Store what was at (row, col) at (col, row).";
        case Fault::tile_not_moved:
            return "The two tiles of a pair must change places too: which one is stored where?";
        case Fault::value_not_of_input:
            return "Look at what is stored: is it what was read from `data` before?";
        case Fault::scattered:
            return "Follow one wrong element by hand, from where it was to where it lands.";
        default: return nullptr;
    }
}

}  // namespace

// Long: a sentence for every fault.
const char* next_after(Fault fault, const Produces& task) {
    if (const char* other = next_elsewhere(fault, task)) return other;
    switch (fault) {
        case Fault::none: return "";
        case Fault::nothing_written:
            return "Write the body: each element must be stored in `out` once. If it is written: "
                   "which condition keeps every thread from the store?";
        case Fault::arguments_exchanged:
            return "Store to `out` and read from `in`; the destination is the first argument.";
        case Fault::never_written:
            return "Find out which threads should have stored the cells marked in the map. If they "
                   "are whole tiles, write down which tile each block takes.";
        case Fault::ragged_edge_missed:
            return "Round the grid up with ceil_div, so that the last tile may be a part of one.";
        case Fault::grid_too_small:
            return "Compare the grid with the matrix: does each element have its thread?";
        case Fault::bounds_exchanged:
            return "Compare row with rows and col with cols, in the kernel and in configure: is "
                   "the grid ceil_div(cols, ...) wide and ceil_div(rows, ...) tall?";
        case Fault::part_of_each_tile:
            return "Does each thread move all its elements of the tile? Look at the loop, at its "
                   "step, and at the index of whatever keeps them in between.";
        case Fault::indices_not_swapped:
            return "Read from row `row` and column `col` of `in`, store to row `col` and column "
                   "`row` of `out`: which of the two indices is not like that?";
        case Fault::indices_swapped:
            return "This is a copy: an element keeps its row and its column.";
        case Fault::wrong_pitch:
            return "How long is a row? `in` has cols elements in each, `out` has rows.";
        case Fault::tile_not_moved:
            return "The tile's own place must be transposed too: exchange blockIdx.x and "
                   "blockIdx.y when storing.";
        case Fault::tile_not_transposed:
            return "A lane must store another element than it loaded. With a tile: read by column "
                   "what was written by row, and work out row and col again after the barrier, "
                   "both. With registers: the first components of all loads belong side by side.";
        case Fault::off_by_one_row: return "Count the rows: the first one is row 0.";
        case Fault::off_by_one_col: return "Count the columns: the first one is column 0.";
        case Fault::shifted:
            return "Follow element (0, 0) by hand: at which index is it read, and at which stored?";
        case Fault::neighbours_exchanged:
            return "Follow .x and .y of one vector by hand: which element is each, and where does "
                   "it go?";
        case Fault::neighbour_repeated:
            return "Does each component of the vector come from an element of its own, and each "
                   "load from a row of its own? A cast of one value fills all with it; load the "
                   "vector through a pointer.";
        case Fault::tile_repeated:
            return "Let the place of the tile depend on blockIdx, both for reading and for "
                   "storing.";
        case Fault::line_repeated: return "Let the index depend on the row and on the column.";
        case Fault::turned_around:
            return "Transposing mirrors at the diagonal: in(row, col) goes to out(col, row), "
                   "without any rows - 1 - row.";
        case Fault::axes_in_other_order:
            return "Work out by hand where the neighbours along each axis of `in` lie in `out`.";
        case Fault::batch_repeated:
            return "Let `in` begin where the block's own matrix does: the first, plus its number "
                   "times rows * cols.";
        case Fault::batches_missed:
            return "Compare the grid with the batch: does each matrix have its blocks?";
        case Fault::batches_exchanged:
            return "Let both pointers begin at the same matrix: the one that is read from `in` is "
                   "stored where `out` has its place.";
        case Fault::matrix_size_wrong:
            return "How many rows does one matrix have? That number is given; a tile's side is "
                   "another.";
        case Fault::wrong_origin:
            return "Each matrix lies rows * cols elements after the previous one, with the rows "
                   "of one matrix: move the pointer by the block's number times that.";
        case Fault::half_exchanged:
            return "Read both tiles of a pair, wait for the whole block, then store both.";
        case Fault::wrong_tile:
            return "Work out by hand which tile block (1, 0) reads, and which it stores.";
        case Fault::scrambled_in_tile:
            return "Work out by hand where thread (1, 0) puts its element in the tile, and from "
                   "where it is read.";
        case Fault::mixed_in_tile:
            return "Does the whole block wait between writing the tile and reading it? If it uses "
                   "none, follow one wrong element by hand.";
        case Fault::edge_wrong:
            return "Follow one element in the last row: which condition lets it through?";
        case Fault::read_outside: return "Check the bounds of the element that is read.";
        case Fault::nan_changed:
        case Fault::negative_zero_lost:
        case Fault::subnormal_flushed:
        case Fault::value_rounded:
            return "Assign the value as it is; no arithmetic and no conversion is needed.";
        case Fault::value_added: return "Store with =, so that nothing of the old contents stays.";
        case Fault::value_converted:
            return "Keep the value in a variable of the element's own type: float stays float.";
        case Fault::component_lost:
            return "Follow one vector by hand, component by component: where is each set from, and "
                   "where does each go?";
        case Fault::value_not_of_input:
            return "Look at what is stored: is it what was read from `in`?";
        case Fault::scattered:
            return "Follow one wrong element by hand, from `in` to where it lands.";
        case Fault::written_before:
        case Fault::written_after: return "Check the bounds of the element that is stored.";
        case Fault::input_changed: return "Store to `out` only.";
    }
    return "";
}

bool names_the_mistake(Fault fault) {
    using enum Fault;
    constexpr Fault certain[] = {
        indices_not_swapped,  indices_swapped,    wrong_pitch,       tile_not_moved,
        tile_not_transposed,  off_by_one_row,     off_by_one_col,    shifted,
        neighbours_exchanged, neighbour_repeated, value_added,       component_lost,
        tile_repeated,        line_repeated,      turned_around,     axes_in_other_order,
        batch_repeated,       batches_exchanged,  matrix_size_wrong, wrong_origin,
        half_exchanged,       arguments_exchanged};
    return std::find(std::begin(certain), std::end(certain), fault) != std::end(certain);
}

}  // namespace coalesce
