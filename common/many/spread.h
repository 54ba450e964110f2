/// \file
/// How a matrix is spread over ranks, which are processes or GPUs.
#pragma once

#include <algorithm>
#include <cstddef>

namespace coalesce {

/// Returns the number of floats in a matrix, rows x cols. The product may be too large for an int.
constexpr std::size_t count_floats(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

/// A division of `count` rows into blocks of equal size, one per rank. If the rows cannot be
/// divided evenly, the last blocks are shorter or empty.
struct RowPartition {
    int count = 0;  ///< the number of all rows
    int ranks = 1;
    int multiple = 1;  ///< each block starts at a row that is a multiple of this number

    /// Returns the number of rows in each block. The last blocks may have fewer rows.
    int block() const {
        const long long rows_per_rank = std::max(1LL, (count + ranks - 1LL) / ranks);
        return static_cast<int>((rows_per_rank + multiple - 1) / multiple * multiple);
    }
    /// Returns the first row of a rank's block, or `count` if the block is empty.
    int begin(int rank) const {
        return static_cast<int>(std::min<long long>(count, 1LL * rank * block()));
    }
    /// Returns the number of rows in the rank's block.
    int size(int rank) const { return begin(rank + 1) - begin(rank); }
};

}  // namespace coalesce
