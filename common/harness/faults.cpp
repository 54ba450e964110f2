// The properties of each fault, which are the same for all kernels.
#include "harness/faults.h"

#include <cstddef>

#include "harness/harness.h"

namespace coalesce {
namespace {

/// A fault, its traits, and the advice for it.
struct FaultAdvice {
    Fault fault;
    unsigned traits;
    const char* next_step;
    const char* next_step_in_place = nullptr;  ///< the advice for in-place kernels, if it differs
};

/// One row for each fault, in the order of the enumeration Fault.
struct KnownFaults {
    using enum Fault;
    static constexpr FaultAdvice kAdvice[] = {
        {none, 0, ""},
        {nothing_written, 0,
         "Write the body: each element must be stored in `out` once. If the body is written, which "
         "condition keeps every thread from storing?",
         "Write the body: it must swap the two elements of each pair."},
        {arguments_exchanged, trait::certain,
         "Store to `out` and read from `in`; the destination is the first argument."},
        {never_written, trait::may_be_launch | trait::may_be_any_index,
         "Find out which threads should have stored the cells marked in the map. If these cells "
         "form whole tiles, write down which tile each block processes.",
         "Find out which threads should have stored the cells marked in the map: does every pair "
         "of tiles have a block, and does every tile on the diagonal have one?"},
        {ragged_edge_missed, 0,
         "Round the grid up with ceil_div, so that it also covers the partial tiles at the edges."},
        {grid_too_small, trait::may_be_launch,
         "Compare the grid with the matrix: does each element have a thread?"},
        {bounds_exchanged, trait::may_be_launch,
         "Compare row with rows and col with cols, in the kernel and in configure: is the grid "
         "ceil_div(cols, ...) wide and ceil_div(rows, ...) tall?"},
        {part_of_each_tile,
         trait::may_be_launch | trait::may_be_any_index | trait::may_be_unset_component,
         "Does each thread move all of its elements of the tile? Check the loop, its step, and the "
         "index into the array that holds the elements between load and store."},
        {indices_not_swapped, trait::certain,
         "Read from row `row` and column `col` of `in`, and store to row `col` and column `row` of "
         "`out`: which of your two indices differs from this?",
         "Store the value from (row, col) at (col, row)."},
        {indices_swapped, trait::certain,
         "This is a copy: an element keeps its row and its column."},
        {wrong_pitch, trait::certain,
         "How long is a row? A row of `in` has cols elements, and a row of `out` has rows "
         "elements.",
         "How long is a row? It is as long as the side of the matrix."},
        {tile_not_moved, trait::certain,
         "The position of the tile must be transposed too: swap blockIdx.x and blockIdx.y when "
         "storing.",
         "The two tiles of a pair must be swapped too: where is each tile stored?"},
        {tile_not_transposed, trait::certain,
         "A lane must store a different element from the one that it loaded. With a tile in shared "
         "memory, read by column the values that were written by row, and compute both row and col "
         "again after the barrier. With registers, store the first components of all loads side by "
         "side.",
         "A lane must store a different element from the one that it loaded: read each of the two "
         "tiles by column."},
        {tile_turned_around, trait::certain,
         "Follow the first row of a tile by hand: where is it written, and where is it read? No "
         "index such as TILE_DIM - 1 - x is needed."},
        {off_by_one_row, trait::certain, "Count the rows: the first one is row 0."},
        {off_by_one_col, trait::certain, "Count the columns: the first one is column 0."},
        {shifted, trait::certain,
         "Follow the element named above by hand: at which index is it read, and at which is it "
         "stored?"},
        {neighbours_exchanged, trait::certain,
         "Follow .x and .y of one vector by hand: which element does each hold, and where is it "
         "stored?"},
        {neighbour_repeated, trait::certain | trait::may_be_unset_component,
         "Does each component of the vector come from a different element, and each load from a "
         "different row? To load a whole vector, cast the pointer, not the value."},
        {tile_repeated, trait::certain,
         "The position of the tile must depend on blockIdx, both for reading and for storing."},
        {line_repeated, trait::certain, "Make the index depend on both the row and the column."},
        {turned_around, trait::certain,
         "A transpose mirrors the matrix at its diagonal: in(row, col) goes to out(col, row). No "
         "index such as rows - 1 - row is needed."},
        {axes_in_other_order, trait::certain,
         "Work out by hand where the neighbours along each axis of `in` lie in `out`."},
        {batch_repeated, trait::certain,
         "Make `in` point to the block's own matrix: the first matrix, plus blockIdx.z times the "
         "number of elements of one matrix."},
        {batches_missed, 0, "Compare the grid with the batch: does each matrix have blocks?"},
        {batches_exchanged, trait::certain,
         "Make both pointers begin at the same matrix: matrix k of `in` is stored as matrix k of "
         "`out`."},
        {matrix_size_wrong, trait::certain,
         "How many rows does one matrix have? Use MATRIX_ROWS, not the side of a tile."},
        {wrong_origin, trait::certain,
         "Move the pointer by blockIdx.z times the number of elements of one matrix, which has "
         "fewer rows than the whole stack of matrices."},
        {half_exchanged, trait::certain,
         "Read both tiles of a pair, synchronize the whole block, then store both tiles."},
        {wrong_tile, trait::may_be_any_index,
         "Work out by hand which tiles blocks (1, 0) and (0, 1) read, and which they store."},
        {scrambled_in_tile, trait::may_be_any_index,
         "Follow the element named above by hand: which thread stores it in the tile, at which "
         "index, and at which index is it read?"},
        {mixed_in_tile, trait::may_be_any_index,
         "Does the whole block wait between writing the tile and reading it? If the kernel uses no "
         "tile, follow one wrong element by hand."},
        {edge_wrong, 0,
         "Follow one element in the last row: which condition lets this element through?"},
        {read_outside, trait::outside, "Check the bounds of the element that is read."},
        {nan_changed, trait::inexact_value,
         "Assign the value as it is; no arithmetic or conversion is needed."},
        {negative_zero_lost, 0,
         "Assign the value as it is; no arithmetic or conversion is needed."},
        {subnormal_flushed, 0, "Assign the value as it is; no arithmetic or conversion is needed."},
        {value_rounded, trait::inexact_value,
         "Assign the value as it is; no arithmetic or conversion is needed."},
        {value_added, trait::certain, "Store with =, so that the old contents are replaced."},
        {value_converted, trait::inexact_value,
         "Keep the value in a variable of the element's own type, such as float."},
        {component_lost, trait::certain | trait::may_be_unset_component,
         "Follow one vector by hand, component by component: where does each value come from, and "
         "where does it go?"},
        {value_not_of_input, 0, "Is the stored value the one that was read from `in`?",
         "Is the stored value the one that was read from `data` before?"},
        {scattered, trait::may_be_any_index,
         "Follow one wrong element by hand, from `in` to where it is stored.",
         "Follow one wrong element by hand, from where it was to where it is stored."},
        {written_before, trait::outside, "Check the bounds of the element that is stored."},
        {written_after, trait::outside, "Check the bounds of the element that is stored."},
        {input_changed, 0, "Store to `out` only."},
    };
};

const FaultAdvice& find_fault_advice(Fault fault) {
    static_assert([] {
        std::size_t row = 0;
        for (const FaultAdvice& advice : KnownFaults::kAdvice) {
            if (static_cast<std::size_t>(advice.fault) != row++) return false;
        }
        return row == static_cast<std::size_t>(last_of(Fault{})) + 1;
    }());
    return KnownFaults::kAdvice[static_cast<std::size_t>(fault)];
}

}  // namespace

const char* advice_for_fault(Fault fault, const Produces& task) {
    if (fault == Fault::wrong_pitch && !task.in_place && task.kind == Produces::copy) {
        return "How long is a row? It has cols elements, in both matrices.";
    }
    if (fault == Fault::wrong_pitch && !task.in_place && task.kind != Produces::transpose) {
        return "How long is a row, in `in` and in `out`? It has as many elements as that matrix "
               "has columns.";
    }
    const FaultAdvice& advice = find_fault_advice(fault);
    return task.in_place && advice.next_step_in_place ? advice.next_step_in_place
                                                      : advice.next_step;
}

bool has_trait(Fault fault, unsigned traits) {
    return (find_fault_advice(fault).traits & traits) != 0;
}

}  // namespace coalesce
