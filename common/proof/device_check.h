/// \file
/// Is every bit of an output right? Answered on the device, in the time of a slow transpose, by
/// comparing with the input itself. (The harness's verifier compares on the host with values that
/// it computes again, and says what is wrong; it takes seconds for a large matrix.)
#pragma once

#include <cstdint>

#include "harness/problem.h"

namespace coalesce::proof {

/// How many cells of `out` do not hold what `problem` wants there. Both lie in device memory and
/// have elements of 4 bytes. Waits for the device.
std::uint64_t count_wrong_cells(const Problem& problem, const void* out, const void* in);

/// A sum that changes when any element of a buffer changes, or two are exchanged.
std::uint64_t checksum(const void* buffer, std::int64_t elements);

}  // namespace coalesce::proof
