/// \file
/// What the matrix holds, and whether it is where it belongs: both by the GPUs themselves, since no
/// host has the time to look at 16 GiB.
#pragma once

#include "many/many.h"

namespace coalesce::many {

/// What was found wrong in `out`.
struct Wrong {
    unsigned long long cells = 0;      ///< how many
    unsigned long long first = ~0ULL;  ///< the first of them: out(first / rows, first % rows)
};

/// Of the ranks of this process. Fills every block of `in`: element i holds a mix of i, in which 2^32 neighbours differ.
void fill(const Ranks& ranks);
/// Fills every `out` with what is right for one element in 2^32 at most.
void poison(const Ranks& ranks);
/// Compares every element of every `out`, bit by bit.
Wrong count_wrong(const Ranks& ranks);

}  // namespace coalesce::many
