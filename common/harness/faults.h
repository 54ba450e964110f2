/// \file
/// The kinds of mistakes that the verifier can find.
#pragma once

#include <cstdint>
#include <string>

namespace coalesce {

/// A mistake that the verifier recognizes in an output.
enum class Fault : std::uint8_t {
    none,                 ///< every bit is correct
    nothing_written,      ///< the whole output is untouched
    arguments_exchanged,  ///< the output was never written, and the input was overwritten
    never_written,  ///< some cells are unwritten: whole tiles, or cells that form no simple pattern
    ragged_edge_missed,  ///< only cells beyond the last full tile are unwritten
    grid_too_small,      ///< all cells after a certain row or column are unwritten
    /// The bounds checks are `row < cols` and `col < rows`, so only a square part is written.
    bounds_exchanged,
    /// Only some rows or columns of each tile were written, because a loop is missing or too short.
    part_of_each_tile,
    indices_not_swapped,  ///< the output is a copy instead of a transpose
    indices_swapped,      ///< the output is a transpose instead of a copy
    wrong_pitch,     ///< the kernel used `rows` as the row length instead of `cols`, or vice versa
    tile_not_moved,  ///< each tile is transposed, but in its original position
    tile_not_transposed,  ///< tiles are in the correct position, but not transposed
    tile_turned_around,   ///< tiles are in the correct position, but rotated or mirrored
    off_by_one_row,       ///< each value comes from the next or the previous row of the input
    off_by_one_col,       ///< each value comes from the next or the previous column of the input
    /// Each value comes from a cell that is several rows or columns away, always by the same
    /// distance.
    shifted,
    /// Neighbouring rows or columns are in the wrong order, in groups of two or four.
    neighbours_exchanged,
    /// The first of two or four neighbouring rows or columns is repeated, and the others are
    /// missing.
    neighbour_repeated,
    tile_repeated,  ///< all tiles are copies of the same tile
    /// The whole output repeats one row or column of the input, or only one row or column of the
    /// output was written.
    line_repeated,
    turned_around,        ///< the matrix is rotated by 90 degrees or mirrored instead of transposed
    axes_in_other_order,  ///< the axes of an array are permuted in the wrong order
    batch_repeated,       ///< all matrices or arrays of a batch are copies of the first
    batches_missed,       ///< only the first matrices of a batch were written
    batches_exchanged,    ///< the matrices of a batch are correct, but in the wrong order
    matrix_size_wrong,    ///< the kernel uses the wrong size for the matrices of a batch
    wrong_origin,         ///< the kernel assumes a wrong distance between the matrices of a batch
    half_exchanged,       ///< in an in-place transpose, only one side of the diagonal is correct
    /// Each value comes from the correct position within a tile, but from another tile.
    wrong_tile,
    /// Each value comes from the correct tile, but from another position within it.
    scrambled_in_tile,
    mixed_in_tile,  ///< tiles contain both correct and wrong cells, which form no simple pattern
    edge_wrong,     ///< only cells beyond the last full tile are wrong
    read_outside,   ///< some values were read from memory before or after the input
    nan_changed,    ///< NaNs became other NaNs
    negative_zero_lost,  ///< -0.0 became 0.0
    subnormal_flushed,   ///< subnormal numbers became zero
    /// Values are rounded, so they were probably converted to another type and back.
    value_rounded,
    value_added,      ///< the correct values were added to the old contents of the output
    value_converted,  ///< values are correct, but converted to integers
    component_lost,   ///< some components of each vector have values that do not occur in the input
    value_not_of_input,  ///< values do not occur in the input
    scattered,           ///< values occur in the input, but their positions form no simple pattern
    written_before,      ///< the kernel wrote before the first element of the output
    written_after,       ///< the kernel wrote after the last element of the output
    input_changed,       ///< the input was overwritten
};

/// Returns the last fault, so that a loop can visit all faults.
constexpr Fault last_of(Fault) {
    return Fault::input_changed;
}

/// The traits of a fault, as bits.
namespace trait {
enum : unsigned {
    certain = 1,           ///< the fault names the exact mistake, like `off_by_one_row`
    may_be_launch = 2,     ///< the launch may be wrong instead of the kernel
    outside = 4,           ///< the fault was found in a guard band next to a matrix
    may_be_any_index = 8,  ///< the index of the load, of the tile or of the store may be wrong
    may_be_unset_component = 16,  ///< the cause may be a vector component that was not set
    inexact_value = 32,           ///< values are at the right places, but were not stored exactly
};
}  // namespace trait
/// Reports whether the fault has at least one of these traits.
bool has_trait(Fault fault, unsigned traits);

struct Produces;
/// Returns advice on how to fix this fault, as a sentence.
const char* advice_for_fault(Fault fault, const Produces& task);

/// A detected mistake, with a one-sentence description.
struct Finding {
    Fault fault = Fault::none;  ///< the kind of mistake
    std::string sentence;  ///< a sentence such as "out(0,1) holds in(0,1), expected in(1,0): ..."
    /// A possible cause, as a sentence. Empty if the output alone proves the cause.
    std::string guess = "";

    /// Returns the sentence, followed by the guess if there is one.
    std::string text() const { return guess.empty() ? sentence : sentence + ". " + guess; }
};

}  // namespace coalesce
