// The next action after each kind of wrong result.
#include <algorithm>
#include <iterator>

#include "examiner/rules.h"

namespace coalesce {
namespace {

/// Returns the action if the task is not a transpose from `in` to `out` and needs different words, otherwise null.
const char* next_elsewhere(Fault fault, const Produces& task) {
    if (fault == Fault::wrong_pitch) {
        if (task.in_place)
            return "How long is a row? It has as many elements as the matrix has columns, which is "
                   "the side of the matrix.";
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
        case Fault::nothing_written:
            return "Write the body: it must exchange the two elements of each pair.";
        case Fault::never_written:
            return "Find out which threads should have stored the cells marked in the map: does "
                   "every pair of tiles have a block, and so does every tile on the diagonal?";
        case Fault::indices_not_swapped: return "Store what was at (row, col) at (col, row).";
        case Fault::tile_not_moved:
            return "The two tiles of a pair must change places too: which one is stored where?";
        case Fault::value_not_of_input:
            return "Is the stored value the one that was read from `data` before?";
        case Fault::scattered:
            return "Follow one wrong element by hand, from where it was to where it lands.";
        default: return nullptr;
    }
}

}  // namespace

// Long: each fault has its own sentence.
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
            return "Round the grid up with ceil_div, so that it also covers the partial tiles at "
                   "the edges.";
        case Fault::grid_too_small:
            return "Compare the grid with the matrix: does each element have its thread?";
        case Fault::bounds_exchanged:
            return "Compare row with rows and col with cols, in the kernel and in configure: is "
                   "the grid ceil_div(cols, ...) wide and ceil_div(rows, ...) tall?";
        case Fault::part_of_each_tile:
            return "Does each thread move all of its elements of the tile? Check the loop, its "
                   "step, and the index into the array that holds the elements in between.";
        case Fault::indices_not_swapped:
            return "Read from row `row` and column `col` of `in`, and store to row `col` and "
                   "column `row` of `out`: which of the two indices is different?";
        case Fault::indices_swapped:
            return "This is a copy: an element keeps its row and its column.";
        case Fault::wrong_pitch:
            return "How long is a row? `in` has cols elements in each, `out` has rows.";
        case Fault::tile_not_moved:
            return "The tile's own place must be transposed too: exchange blockIdx.x and "
                   "blockIdx.y when storing.";
        case Fault::tile_not_transposed:
            return "A lane must store a different element from the one that it loaded. With a "
                   "tile, read by column what was written by row, and compute both row and col "
                   "again after the barrier. With registers, store the first components of all "
                   "loads side by side.";
        case Fault::off_by_one_row: return "Count the rows: the first one is row 0.";
        case Fault::off_by_one_col: return "Count the columns: the first one is column 0.";
        case Fault::shifted:
            return "Follow element (0, 0) by hand: at which index is it read, and at which stored?";
        case Fault::neighbours_exchanged:
            return "Follow .x and .y of one vector by hand: which element is each, and where does "
                   "it go?";
        case Fault::neighbour_repeated:
            return "Does each component of the vector come from a different element, and each load "
                   "from a different row? To load a whole vector, cast the pointer, not the value.";
        case Fault::tile_repeated:
            return "Let the place of the tile depend on blockIdx, both for reading and for "
                   "storing.";
        case Fault::line_repeated: return "Let the index depend on the row and on the column.";
        case Fault::turned_around:
            return "A transpose mirrors the matrix at its diagonal: in(row, col) goes to out(col, "
                   "row). No index such as rows - 1 - row is needed.";
        case Fault::axes_in_other_order:
            return "Work out by hand where the neighbours along each axis of `in` lie in `out`.";
        case Fault::batch_repeated:
            return "Let `in` point to the block's own matrix: the first matrix, plus the block's "
                   "number times rows * cols.";
        case Fault::batches_missed:
            return "Compare the grid with the batch: does each matrix have its blocks?";
        case Fault::batches_exchanged:
            return "Let both pointers begin at the same matrix: matrix k of `in` is stored as "
                   "matrix k of `out`.";
        case Fault::matrix_size_wrong:
            return "How many rows does one matrix have? That number is given; a tile's side is "
                   "another.";
        case Fault::wrong_origin:
            return "Each matrix begins rows * cols elements after the previous one, where rows is "
                   "that of one matrix: move the pointer by the block's number times that.";
        case Fault::half_exchanged:
            return "Read both tiles of a pair, wait for the whole block, then store both.";
        case Fault::wrong_tile:
            return "Work out by hand which tile block (1, 0) reads, and which it stores.";
        case Fault::scrambled_in_tile:
            return "Work out by hand where thread (1, 0) puts its element in the tile, and from "
                   "where it is read.";
        case Fault::mixed_in_tile:
            return "Does the whole block wait between writing the tile and reading it? If the "
                   "kernel uses no tile, follow one wrong element by hand.";
        case Fault::edge_wrong:
            return "Follow one element in the last row: which condition lets it through?";
        case Fault::read_outside: return "Check the bounds of the element that is read.";
        case Fault::nan_changed:
        case Fault::negative_zero_lost:
        case Fault::subnormal_flushed:
        case Fault::value_rounded:
            return "Assign the value as it is; no arithmetic and no conversion is needed.";
        case Fault::value_added: return "Store with =, so that the old contents are replaced.";
        case Fault::value_converted:
            return "Keep the value in a variable of the element's own type, such as float.";
        case Fault::component_lost:
            return "Follow one vector by hand, component by component: where does each value come "
                   "from, and where does it go?";
        case Fault::value_not_of_input:
            return "Is the stored value the one that was read from `in`?";
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
