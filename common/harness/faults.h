/// \file
/// Everything that the verifier can say is wrong, each with a name.
#pragma once

#include <cstdint>
#include <string>

namespace coalesce {

/// What is wrong with an output.
enum class Fault : std::uint8_t {
    none,                  ///< nothing: every bit is right
    nothing_written,       ///< the whole output is untouched
    arguments_exchanged,   ///< the output is untouched, and the input was written
    never_written,         ///< some cells are untouched: whole tiles, or in no simple pattern
    ragged_edge_missed,    ///< only cells beyond the last full tile are bad
    grid_too_small,        ///< cells beyond some row or column are untouched
    bounds_exchanged,      ///< `row < cols` and `col < rows`: the square alone was written
    part_of_each_tile,     ///< of each tile only some rows or columns: a loop is missing or short
    indices_not_swapped,   ///< a copy instead of a transpose
    indices_swapped,       ///< a transpose instead of a copy
    wrong_pitch,           ///< rows and columns exchanged as the length of a row
    tile_not_moved,        ///< tiles are transposed, but stand where they stood
    tile_not_transposed,   ///< tiles stand where they belong, but are not transposed
    off_by_one_row,        ///< the neighbour in the next or previous row of the input
    off_by_one_col,        ///< the neighbour in the next or previous column of the input
    shifted,               ///< always the same distance away, and further than one row or column
    neighbours_exchanged,  ///< neighbouring rows or columns in another order, in pairs or fours
    neighbour_repeated,    ///< of two or four neighbouring rows or columns the first stands for all
    tile_repeated,         ///< one tile's data in every tile
    line_repeated,         ///< one row's or column's data in all of them, or all stored to one
    turned_around,         ///< rotated by 90 degrees or mirrored instead of transposed
    axes_in_other_order,   ///< the array's axes are permuted, but into another order
    batch_repeated,        ///< the first matrix (or array) of a batch stands for the others
    batches_missed,        ///< only the first matrices of a batch were written
    batches_exchanged,     ///< each matrix of a batch is right, but stands in another's place
    matrix_size_wrong,     ///< a batch taken for one of smaller or larger matrices
    wrong_origin,          ///< the matrices of a batch are looked for at a wrong distance
    half_exchanged,        ///< in place: of the cells beside the diagonal one side alone is right
    wrong_tile,            ///< the right place within a tile, but of another tile
    scrambled_in_tile,     ///< the right tile, but another place within it
    mixed_in_tile,         ///< wrong cells among right ones in the same tiles, in no simple pattern
    edge_wrong,            ///< only cells beyond the last full tile are wrong
    read_outside,          ///< what lies before or behind the input
    nan_changed,           ///< NaNs became other NaNs
    negative_zero_lost,    ///< -0.0 became 0.0
    subnormal_flushed,     ///< subnormal numbers became zero
    value_rounded,         ///< nearly the right values: converted on the way
    value_added,           ///< added to what the output held
    value_converted,       ///< what becomes of the right values as integers
    component_lost,        ///< of each vector some components hold nothing of the input
    value_not_of_input,    ///< values that the input does not have anywhere
    scattered,             ///< values of the input in no simple pattern
    written_before,        ///< something was written before the first element of the output
    written_after,         ///< something was written behind the last element of the output
    input_changed,         ///< the input is not what it was
};

/// The last one, for those who want all of them.
constexpr Fault last_of(Fault) {
    return Fault::input_changed;
}

/// What can be said of a fault by itself, as bits.
namespace trait {
inline constexpr unsigned certain = 1;    ///< names the mistake, as `off_by_one_row` does
inline constexpr unsigned of_launch = 2;  ///< the launch may be to blame, not the kernel
inline constexpr unsigned outside = 4;    ///< seen in a guard band: memory beside a matrix
inline constexpr unsigned any_index = 8;  ///< the index of the load, the tile or the store is wrong
inline constexpr unsigned of_component = 16;  ///< a component of a vector may have no value
}  // namespace trait
/// Whether the fault has one of these traits.
bool has_trait(Fault fault, unsigned traits);

struct Produces;
/// The next action after a fault: a sentence that says what to look at.
const char* next_after(Fault fault, const Produces& task);

/// One thing that was found, and the sentence that says it.
struct Finding {
    Fault fault = Fault::none;  ///< which
    std::string sentence;       ///< "out(0,1) holds in(0,1), expected in(1,0): ..."
    std::string guess = "";  ///< a sentence: what may be behind it, if the output leaves that open

    /// All of it.
    std::string text() const { return guess.empty() ? sentence : sentence + ". " + guess; }
};

}  // namespace coalesce
