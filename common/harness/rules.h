// Rules for mistakes with a number or a position that must be found from the wrong cells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/faults.h"
#include "harness/problem.h"

namespace coalesce {

/// A wrong cell that holds the value of some cell of the input. Both are positions in memory.
struct Seen {
    std::int64_t index;   ///< position in the output
    std::int64_t source;  ///< position in the input
    /// The number of elements in the array before the matrix that contains both positions; 0 except
    /// for batches.
    std::int64_t before = 0;
};

/// An evenly spread sample of the wrong cells.
struct Sample {
    std::vector<Seen> cells;  ///< the cells that hold a value of the input, in order
    /// The number of all sampled cells, including those with other values.
    std::uint64_t count = 0;
};

/// How well a rule explains a sample.
struct Explanation {
    Fault fault = Fault::none;
    std::uint64_t count = 0;  ///< the cells that the rule explains
    std::uint64_t of = 0;     ///< the cells that the rule applies to
    Seen example{};           ///< the first explained cell
    /// A description of the mistake, which follows "out(0,1) holds ...: "
    std::string meaning;
};

/// Returns the most frequent value, or `otherwise` if there are no values.
template <class Value>
Value most_common(std::vector<Value> values, Value otherwise) {
    std::sort(values.begin(), values.end());
    Value best = otherwise;
    std::ptrdiff_t most = 0;
    for (auto begin = values.begin(); begin != values.end();) {
        const auto end = std::upper_bound(begin, values.end(), *begin);
        if (end - begin > most) {
            most = end - begin;
            best = *begin;
        }
        begin = end;
    }
    return best;
}

/// The fraction of the cells that a rule explains.
inline double share_of(std::uint64_t count, std::uint64_t of) {
    return of == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(of);
}

/// Reports whether `one` explains a larger fraction than `other`, or the same fraction of more
/// cells.
inline bool is_better(const Explanation& one, const Explanation& other) {
    const double mine = share_of(one.count, one.of), theirs = share_of(other.count, other.of);
    return mine > theirs || (mine == theirs && one.count > other.count);
}

/// Counts the cells for which `explains(cell)` is true, and records the first.
template <class Explains>
Explanation count_explained(const Sample& sample, Explains explains) {
    Explanation found;
    found.of = sample.count;
    for (const Seen& seen : sample.cells) {
        if (!explains(seen)) continue;
        if (found.count++ == 0) found.example = seen;
    }
    return found;
}

/// Reduces a step along a cyclic row or column of this length to the shorter direction.
std::int64_t around(std::int64_t step, std::int64_t length);

/// Returns "32 x 32", for example, as the size of a tile.
inline std::string size_text(std::int64_t side) {
    return std::to_string(side) + " x " + std::to_string(side);
}

/// Returns "2 rows too far down and 1 column too far to the left", for example. `row` and `col` are
/// the words for the units.
std::string distances_text(Cell step, const char* row, const char* col);

// ---- Wrong indices: a wrong row length, or a wrong constant. Unlike the hypotheses, these rules
// contain numbers, which they find from the output. ----

/// Finds the row lengths for loading and storing that explain most cells: "it fits in[row * rows +
/// col] where in[row * cols + col] belongs". Its count is 0 if nothing explains any cell.
Explanation explain_by_pitch(const Problem& problem, const Sample& sample);

/// Finds the constant distance that explains most cells: "that is 4 elements too far on in in".
Explanation explain_by_shift(const Problem& problem, const Sample& sample);

/// Finds rows or columns that are exchanged or repeated within groups of 2 or 4, as happens with
/// the components of vectors: "of each 2 neighbouring rows of the input the 2nd, 1st stand where
/// the 1st, 2nd belong".
Explanation explain_by_components(const Problem& problem, const Sample& sample);

// ---- Batches of separately transposed matrices: mistakes about which matrix is where. ----

/// Finds the mistake about matrices that explains most cells: "it fits matrices of 32 rows each,
/// where they have 64", "the matrices are right by themselves, but stand in reverse order", or "it
/// fits matrices that are looked for 64 elements apart". The positions in `sample` are in the whole
/// array. Its count is 0 if nothing explains any cell.
Explanation explain_by_batches(const Problem& problem, const Sample& sample);

// ---- Whole tiles that are in the wrong place or missing. ----

/// The tile of the input that should be at some place, and the tile that is there, by tile row and
/// column.
struct TileMove {
    Cell should, holds;
};

/// Returns a simple rule that describes the moves: "each tile is 1 tile too far down". Several
/// rules that fit equally well are joined by "; or". Returns "" if no simple rule fits.
std::string rule_of_moves(Cell tiles, const std::vector<TileMove>& moves);

/// Returns a formula for how blocks choose tiles such that exactly these tiles (in row order) are
/// missed. Returns "" if no simple formula fits.
std::string rule_of_missed(Cell tiles, const std::vector<bool>& missed);

}  // namespace coalesce
