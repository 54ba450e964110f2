// Rules for mistakes that have a parameter, such as a wrong pitch. The parameter's value is derived
// from the wrong cells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/faults.h"
#include "harness/problem.h"

namespace coalesce {

/// A wrong cell, and the input cell that has the same value, both given as indices in memory.
struct SampledCell {
    std::int64_t index;   ///< position in the output
    std::int64_t source;  ///< position in the input
    /// The number of elements before the cell's matrix in its batch, or 0 if there is no batch.
    std::int64_t matrix_offset = 0;
};

/// An evenly spread sample of the wrong cells.
struct Sample {
    std::vector<SampledCell> cells;  ///< sampled cells whose values occur in the input
    /// The number of all sampled cells, including cells whose values do not occur in the input.
    std::uint64_t count = 0;
};

/// A mistake that a rule suggests, and the number of cells of a sample that the mistake explains.
struct Explanation {
    Fault fault = Fault::none;
    std::uint64_t explained_count = 0;   ///< number of cells that the rule explains
    std::uint64_t applicable_count = 0;  ///< number of cells that the rule applies to
    SampledCell example{};               ///< the first explained cell
    /// A description of the mistake. In messages, it follows "out(0,1) holds ...: ".
    std::string meaning;
};

/// Returns the most frequent value, or `default_value` if there are no values.
template <class Value>
Value find_most_frequent(std::vector<Value> values, Value default_value) {
    std::sort(values.begin(), values.end());
    Value most_frequent = default_value;
    std::ptrdiff_t highest_count = 0;
    for (auto begin = values.begin(); begin != values.end();) {
        const auto end = std::upper_bound(begin, values.end(), *begin);
        if (end - begin > highest_count) {
            highest_count = end - begin;
            most_frequent = *begin;
        }
        begin = end;
    }
    return most_frequent;
}

/// Returns `count` / `total`, the fraction of cells that a rule explains, or 0 if `total` is 0.
inline double fraction_of(std::uint64_t count, std::uint64_t total) {
    return total == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(total);
}

/// Reports whether `a` explains a larger fraction of cells than `b`, or the same fraction of
/// a larger number of cells.
inline bool is_better(const Explanation& a, const Explanation& b) {
    const double fraction_a = fraction_of(a.explained_count, a.applicable_count),
                 fraction_b = fraction_of(b.explained_count, b.applicable_count);
    return fraction_a > fraction_b ||
           (fraction_a == fraction_b && a.explained_count > b.explained_count);
}

/// Counts the cells for which `explains(cell)` is true, and records the first.
template <class Explains>
Explanation count_explained(const Sample& sample, Explains explains) {
    Explanation explanation;
    explanation.applicable_count = sample.count;
    for (const SampledCell& sampled_cell : sample.cells) {
        if (!explains(sampled_cell)) continue;
        if (explanation.explained_count++ == 0) explanation.example = sampled_cell;
    }
    return explanation;
}

/// Treats a row or column of `length` elements as a circle, and returns the shortest step along the
/// circle that leads to the same place as `step`.
std::int64_t wrap_to_shortest(std::int64_t step, std::int64_t length);

/// Returns the size of a tile as a string, such as "32 x 32".
inline std::string size_text(std::int64_t side) {
    return std::to_string(side) + " x " + std::to_string(side);
}

/// Describes a distance, such as "2 rows too far down and 1 column too far to the left". `row` and
/// `col` are the singular names of the units.
std::string distances_text(Cell step, const char* row, const char* col);

// Rules for indices with a wrong pitch or a wrong constant. They derive the pitch or the constant
// from the wrong cells.

/// The start of every description of a wrong index.
inline constexpr char kSeemsToUse[] = "the kernel seems to use ";

/// The start of every guess that blames the order of the blocks for missing tiles.
inline constexpr char kPatternResults[] = "This pattern results if ";

/// Finds the pitches of loads and stores that explain the most cells. An example of
/// Explanation::meaning is "the kernel seems to use in[row * rows + col] instead of in[row * cols +
/// col]". If no pitch explains any cell, `explained_count` is 0.
Explanation explain_by_pitch(const Problem& problem, const Sample& sample);

/// Finds the constant offset that explains the most cells. An example of Explanation::meaning is
/// "that is 4 elements after the right element in memory".
Explanation explain_by_shift(const Problem& problem, const Sample& sample);

/// Finds rows or columns that are exchanged or repeated within groups of 2 or 4. Mistakes with the
/// components of vectors have this effect. An example of Explanation::meaning is "in each group of
/// 4 neighbouring rows of the input, the 3rd is where the 4th belongs. ...".
Explanation explain_by_components(const Problem& problem, const Sample& sample);

// ---- Batches of matrices that are transposed separately: mistakes that misplace whole matrices or
// change their sizes. ----

/// Finds the mistake in a batch that explains the most cells. An example of Explanation::meaning is
/// "each matrix is correct by itself, but the matrices are in reverse order". If no mistake
/// explains any cell, `explained_count` is 0.
Explanation explain_by_batches(const Problem& problem, const Sample& sample);

// ---- Whole tiles that are misplaced or missing. ----

/// A tile of the output with the wrong contents. `expected` is the tile of the input that belongs
/// there, and `actual` is the tile of the input that was found there.
struct TileMove {
    Cell expected, actual;
};

/// Returns a simple rule that describes the moves, such as "each tile is 1 tile too far down". If
/// several rules fit equally well, joins them with "; or". Returns "" if no simple rule fits.
std::string find_move_rule(Cell tiles, const std::vector<TileMove>& moves);

/// Returns a mistaken formula for the tile of block n, such as "tile_row = n, tile_col = n", that
/// explains why exactly the tiles in `missed_tiles` are missed. `missed_tiles` has a flag for each
/// tile, row by row. If two formulas fit, joins them with ", or ". Returns "" if no simple formula
/// fits.
std::string find_missed_tiles_rule(Cell tiles, const std::vector<bool>& missed_tiles);

}  // namespace coalesce
