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
    never_written,  ///< some cells are unwritten: whole tiles, or cells without a simple pattern
    ragged_edge_missed,  ///< only cells beyond the last full tile are bad
    grid_too_small,      ///< cells beyond some row or column are unwritten
    /// `row < cols` and `col < rows` are swapped, so only a square was written
    bounds_exchanged,
    /// Only some rows or columns of each tile were written, because a loop is missing or too short.
    part_of_each_tile,
    indices_not_swapped,  ///< the output is a copy instead of a transpose
    indices_swapped,      ///< the output is a transpose instead of a copy
    wrong_pitch,          ///< `rows` is the row length in place of `cols`, or vice versa
    tile_not_moved,       ///< tiles are transposed, but did not move
    tile_not_transposed,  ///< tiles are in the correct position, but not transposed
    tile_turned_around,   ///< tiles are in the correct position, but rotated or mirrored
    off_by_one_row,       ///< each value is from the next or previous row of the input
    off_by_one_col,       ///< each value is from the next or previous column of the input
    shifted,  ///< values are from cells at a constant distance of several rows or columns
    /// Neighbouring rows or columns are in the wrong order, in groups of two or four.
    neighbours_exchanged,
    /// The first of two or four neighbouring rows or columns is repeated in place of the others.
    neighbour_repeated,
    tile_repeated,  ///< all tiles are copies of the same tile
    /// One row or column is repeated in all other rows or columns, or all of them were stored to
    /// the same row or column.
    line_repeated,
    turned_around,        ///< the matrix is rotated by 90 degrees or mirrored instead of transposed
    axes_in_other_order,  ///< the axes of an array are permuted in the wrong order
    batch_repeated,       ///< all matrices (or arrays) of a batch are copies of the first
    batches_missed,       ///< only the first matrices of a batch were written
    batches_exchanged,    ///< matrices of a batch are correct, but in each other's positions
    matrix_size_wrong,    ///< the matrices of a batch have the wrong size
    wrong_origin,         ///< the matrices of a batch are at the wrong distance from each other
    half_exchanged,       ///< in an in-place transpose, only one side of the diagonal is correct
    wrong_tile,         ///< values are from the correct position within a tile, but in another tile
    scrambled_in_tile,  ///< values are from another position within the correct tile
    mixed_in_tile,      ///< tiles contain both correct and wrong cells, without a simple pattern
    edge_wrong,         ///< only cells beyond the last full tile are wrong
    read_outside,       ///< values are from memory before or after the input
    nan_changed,        ///< NaNs became other NaNs
    negative_zero_lost,  ///< -0.0 became 0.0
    subnormal_flushed,   ///< subnormal numbers became zero
    /// Values are nearly correct, so they were probably converted to another type and back.
    value_rounded,
    value_added,         ///< values were added to the output's old values
    value_converted,     ///< values are correct, but converted to integers
    component_lost,      ///< some components of each vector are not in the input
    value_not_of_input,  ///< values are not in the input
    scattered,           ///< values are in the input, but their positions follow no simple pattern
    written_before,      ///< the kernel wrote before the first element of the output
    written_after,       ///< the kernel wrote after the last element of the output
    input_changed,       ///< the input was overwritten
};

/// Returns the last value, for loops over all values.
constexpr Fault last_of(Fault) {
    return Fault::input_changed;
}

/// The traits of a fault, as bits.
namespace trait {
enum : unsigned {
    certain = 1,                  ///< the fault names the exact mistake, like `off_by_one_row`
    may_be_launch = 2,            ///< the launch may be wrong instead of the kernel
    outside = 4,                  ///< the fault was found in a guard band next to a matrix
    may_be_any_index = 8,         ///< the index of the load, of the tile or of the store is wrong
    may_be_unset_component = 16,  ///< a component of a vector may be unset
};
}  // namespace trait
/// Reports whether the fault has one of these traits.
bool has_trait(Fault fault, unsigned traits);

struct Produces;
/// Returns advice for this fault, as a sentence.
const char* advice_for_fault(Fault fault, const Produces& task);

/// A mistake that was found, with a sentence that describes it.
struct Finding {
    Fault fault = Fault::none;  ///< the kind of mistake
    std::string sentence;       ///< such as "out(0,1) holds in(0,1), expected in(1,0): ..."
    /// A possible cause, as a sentence, if the output alone does not prove it.
    std::string guess = "";

    /// The sentence and the guess.
    std::string text() const { return guess.empty() ? sentence : sentence + ". " + guess; }
};

}  // namespace coalesce
