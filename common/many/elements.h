/// \file
/// Fills the matrix and checks the result on the GPUs, because the host would take too long for a
/// matrix of 16 GiB.
#pragma once

#include "many/many.h"

namespace coalesce::many {

/// The wrong cells in `out`.
struct WrongCells {
    unsigned long long cell_count = 0;  ///< the number of wrong cells
    /// index of the first wrong cell, which is out(first / rows, first % rows)
    unsigned long long first = ~0ULL;
};

/// Fills the blocks of `in` of all ranks in this process. Element i of the matrix is a hash of i.
/// The hashes of any 2^32 consecutive indices are all different.
void fill_in(const Ranks& ranks);
/// Fills every `out` with a poison value. Among 2^32 elements of the matrix, at most one has this
/// value.
void poison_out(const Ranks& ranks);
/// Compares every element of every `out` with the expected value, bit for bit.
WrongCells count_wrong_cells(const Ranks& ranks);

}  // namespace coalesce::many
