// The wrong cells that rules with free numbers are tried on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/faults.h"

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

}  // namespace coalesce
