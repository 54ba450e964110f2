// What a random kernel is to leave in memory, computed on the host.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/campaign/streams/kernel.h"

namespace coalesce::timing {

using Bytes = std::vector<unsigned char>;

/// What every byte of `out` is before the launch.
constexpr unsigned char kUntouched = 0xa5;

/// The matrix that is read: words at random that are floats from 1 to 2 where floats are computed with.
Bytes input_of(const Computation& work, std::size_t bytes);
/// All of `out` after the launch; nothing for sums.
Bytes expected(const Computation& work, const Run& run, const Bytes& in);
/// The sum of all words of `in`, as often as they go round.
std::uint32_t expected_sum(const Computation& work, const Run& run, const Bytes& in);

/// "": it is right. Else the first element that is wrong.
std::string what_is_wrong(const Computation& work, const Run& run, const Bytes& in,
                          const Bytes& out);

}  // namespace coalesce::timing
