/// \file
/// How a matrix is spread over ranks: processes, or GPUs.
#pragma once

#include <algorithm>
#include <cstddef>

namespace coalesce {

/// Floats of a block: ints may not hold so many.
constexpr std::size_t floats_of(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

/// `count` rows in blocks of the same size, one a rank. Where they do not divide, the last blocks are
/// shorter, or empty.
struct Spread {
    int count = 0;     ///< rows in all
    int ranks = 1;     ///< who share them
    int multiple = 1;  ///< blocks begin at multiples of this

    /// Rows of all blocks but the last ones.
    int block() const {
        const long long share = std::max(1LL, (count + ranks - 1LL) / ranks);
        return static_cast<int>((share + multiple - 1) / multiple * multiple);
    }
    /// The first row of a rank's block; `count` where the block is empty.
    int begin(int rank) const {
        return static_cast<int>(std::min<long long>(count, 1LL * rank * block()));
    }
    /// How many rows the rank has.
    int size(int rank) const { return begin(rank + 1) - begin(rank); }
};

}  // namespace coalesce
