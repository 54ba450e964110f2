/// \file
/// Is every bit of an output right? Answered on the device, in the time of a slow transpose, by
/// comparing with the input itself. (The harness's verifier compares on the host with values that
/// it computes again, and says what is wrong; it takes seconds for a large matrix.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/problem.h"

namespace coalesce::proof {

/// How many cells of `out` do not hold what `problem` wants there of `in`. Both lie in device
/// memory; in place, `in` is what the matrix held before. Waits for the device.
std::uint64_t count_wrong_cells(const Problem& problem, const void* out, const void* in);

/// An axis of `out`: how many elements, and how far it is in `in` from one to the next.
struct ArrayAxis {
    std::int64_t size, step;
};
/// The same of any array, the outermost axis first. Elements of 3, 6, 12 ... bytes count once for each part
/// that is wrong.
std::uint64_t count_wrong_elements(std::size_t element_size, const std::vector<ArrayAxis>& axes,
                                   const void* out, const void* in);

/// A sum that changes when any byte of a buffer changes, or two are exchanged.
std::uint64_t checksum(const void* buffer, std::size_t bytes);

}  // namespace coalesce::proof
