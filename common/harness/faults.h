/// \file
/// The kinds of mistakes that the verifier can report.
#pragma once

#include <cstdint>
#include <string>

namespace coalesce {

/// What is wrong with an output.
enum class Fault : std::uint8_t {
    none,                 ///< every bit is right
    nothing_written,      ///< the whole output is untouched
    arguments_exchanged,  ///< the output is untouched, and the input was overwritten
    never_written,        ///< some cells are untouched: whole tiles, or in no simple pattern
    ragged_edge_missed,   ///< only cells beyond the last full tile are bad
    grid_too_small,       ///< cells beyond some row or column are untouched
    /// `row < cols` and `col < rows` were swapped, so only a square was written
    bounds_exchanged,
    /// Only some rows or columns of each tile were written: a loop is missing or too short.
    part_of_each_tile,
    indices_not_swapped,  ///< a copy instead of a transpose
    indices_swapped,      ///< a transpose instead of a copy
    wrong_pitch,          ///< the numbers of rows and columns were swapped as the length of a row
    tile_not_moved,       ///< tiles are transposed, but did not move
    tile_not_transposed,  ///< tiles are in the right place, but are not transposed
    off_by_one_row,       ///< the neighbour in the next or previous row of the input
    off_by_one_col,       ///< the neighbour in the next or previous column of the input
    shifted,              ///< values come from a constant distance of more than one row or column
    /// Neighbouring rows or columns are in the wrong order, in groups of two or four.
    neighbours_exchanged,
    /// The first of two or four neighbouring rows or columns replaces the others.
    neighbour_repeated,
    tile_repeated,  ///< one tile's data in every tile
    /// One row or column is repeated in all others, or all were stored to one.
    line_repeated,
    turned_around,        ///< rotated by 90 degrees or mirrored instead of transposed
    axes_in_other_order,  ///< the array's axes are permuted, but in the wrong order
    batch_repeated,       ///< the first matrix (or array) of a batch replaces the others
    batches_missed,       ///< only the first matrices of a batch were written
    batches_exchanged,    ///< the matrices of a batch are right, but in each other's place
    matrix_size_wrong,    ///< the matrices of a batch have the wrong size
    wrong_origin,         ///< the matrices of a batch are at the wrong distance from each other
    half_exchanged,       ///< in place: only the cells on one side of the diagonal are right
    wrong_tile,           ///< the right position within a tile, but in another tile
    scrambled_in_tile,    ///< the right tile, but another position within it
    mixed_in_tile,        ///< right and wrong cells in the same tiles, without a simple pattern
    edge_wrong,           ///< only cells beyond the last full tile are wrong
    read_outside,         ///< values from memory before or after the input
    nan_changed,          ///< NaNs became other NaNs
    negative_zero_lost,   ///< -0.0 became 0.0
    subnormal_flushed,    ///< subnormal numbers became zero
    /// Values that are nearly right, so they were converted to another type and back.
    value_rounded,
    value_added,         ///< values that were added to the output's old values
    value_converted,     ///< the right values, converted to integers
    component_lost,      ///< some components of each vector hold values that are not in the input
    value_not_of_input,  ///< values that occur nowhere in the input
    scattered,           ///< values of the input, in no simple pattern
    written_before,      ///< something was written before the first element of the output
    written_after,       ///< something was written after the last element of the output
    input_changed,       ///< the input was overwritten
};

/// The last value, for loops over all of them.
constexpr Fault last_of(Fault) {
    return Fault::input_changed;
}

/// Properties of a fault, as bits.
namespace trait {
enum : unsigned {
    certain = 1,        ///< names the mistake, as `off_by_one_row` does
    of_launch = 2,      ///< the launch may be to blame, not the kernel
    outside = 4,        ///< seen in a guard band: memory beside a matrix
    any_index = 8,      ///< the index of the load, the tile or the store is wrong
    of_component = 16,  ///< a component of a vector may have no value
};
}  // namespace trait
/// Reports whether the fault has one of these traits.
bool has_trait(Fault fault, unsigned traits);

struct Produces;
/// Returns a sentence that says what to look at after this fault.
const char* next_after(Fault fault, const Produces& task);

/// One mistake that was found, and the sentence that describes it.
struct Finding {
    Fault fault = Fault::none;  ///< the kind of mistake
    std::string sentence;       ///< "out(0,1) holds in(0,1), expected in(1,0): ..."
    /// A sentence with a possible cause, if the output alone does not prove it.
    std::string guess = "";

    /// The sentence and the guess.
    std::string text() const { return guess.empty() ? sentence : sentence + ". " + guess; }
};

}  // namespace coalesce
