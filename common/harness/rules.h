// The rules that are tried on what is wrong, and have numbers or places to find.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/faults.h"
#include "harness/problem.h"

namespace coalesce {

/// A wrong cell that holds what some cell of the input holds; both as places in memory.
struct Seen {
    std::int64_t index;   ///< of the output
    std::int64_t source;  ///< of the input
    /// Elements of the array before the matrix that both places are in; 0 except for batches.
    std::int64_t before = 0;
};

/// An even share of the wrong cells.
struct Sample {
    std::vector<Seen> cells;  ///< those that hold something of the input, in order
    std::uint64_t count = 0;  ///< these, and those that do not
};

/// What a rule says of a sample.
struct Explanation {
    Fault fault = Fault::none;
    std::uint64_t count = 0;  ///< cells that the rule explains
    std::uint64_t of = 0;     ///< cells of which it says something
    Seen example{};           ///< the first of them
    std::string meaning;      ///< what the mistake is, after "out(0,1) holds ...: "
};

/// The value that occurs most often; `otherwise` when there is none at all.
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

/// The share of the cells that it explains.
inline double share_of(std::uint64_t count, std::uint64_t of) {
    return of == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(of);
}

/// Whether a rule explains a greater share than another one, or as great a share of more cells.
inline bool is_better(const Explanation& one, const Explanation& other) {
    const double mine = share_of(one.count, one.of), theirs = share_of(other.count, other.of);
    return mine > theirs || (mine == theirs && one.count > other.count);
}

/// Counts the cells of which `explains(cell)` is true, and notes the first.
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

/// That many steps along a row or a column of that length, the short way round.
std::int64_t around(std::int64_t step, std::int64_t length);

/// "32 x 32": of a tile.
inline std::string size_text(std::int64_t side) {
    return std::to_string(side) + " x " + std::to_string(side);
}

/// "2 rows too far down and 1 column too far to the left": `row` and `col` say what is counted.
std::string distances_text(Cell step, const char* row, const char* col);

// ---- wrong indices: another length of a row, or a constant that is added. Unlike the hypotheses, these
// have numbers that are taken from what the output holds ----

/// "it fits in[row * rows + col] where in[row * cols + col] belongs": the lengths of a row, in
/// reading and in storing, that explain most. Its count is 0 when none explains anything.
Explanation explain_by_pitch(const Problem& problem, const Sample& sample);

/// "that is 4 elements too far on in in": the constant distance that explains most.
Explanation explain_by_shift(const Problem& problem, const Sample& sample);

/// "of each 2 neighbouring rows of the input the 2nd, 1st stand where the 1st, 2nd belong": rows or
/// columns exchanged or repeated within groups of 2 or 4, as the components of vectors are.
Explanation explain_by_components(const Problem& problem, const Sample& sample);

// ---- a batch of matrices, each to be transposed by itself: mistakes in which one is where ----

/// "it fits matrices of 32 rows each, where they have 64"; "the matrices are right by themselves, but
/// stand in reverse order"; "it fits matrices that are looked for 64 elements apart": the one that
/// explains most. `sample` has places in the whole array. Its count is 0 when none explains anything.
Explanation explain_by_batches(const Problem& problem, const Sample& sample);

// ---- whole tiles in the wrong place, or missing ----

/// A tile of the input that should stand somewhere, and the one that does; by tile row and column.
struct TileMove {
    Cell should, holds;
};

/// "each tile is 1 tile too far down", or several joined by "; or" when they fit equally well; ""
/// when no simple rule fits.
std::string rule_of_moves(Cell tiles, const std::vector<TileMove>& moves);

/// How blocks would have to take tiles for exactly those (row by row) to be missed, as a formula; ""
/// when no simple one fits.
std::string rule_of_missed(Cell tiles, const std::vector<bool>& missed);

}  // namespace coalesce
