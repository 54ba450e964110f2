/// \file
/// Checks on the device that every bit of an output is correct, by comparing the output with the
/// input itself. This takes as long as a slow transpose. (The harness's verifier recomputes the
/// values on the host and says what is wrong, which takes seconds for a large matrix.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/problem.h"

namespace coalesce::proof {

/// Returns how many cells of `out` differ from what `problem` expects for input `in`. Both are in
/// device memory. For an in-place problem, `in` is a copy of the original matrix. The output must
/// not be computed. Waits for the device.
std::uint64_t count_wrong_cells(const Problem& problem, const void* out, const void* in);

/// An axis of `out`: its number of elements, and the distance between neighbouring elements in
/// `in`.
struct ArrayAxis {
    std::int64_t size, step;
};
/// Returns how many elements of `out` are wrong, for an array of any shape. `axes` begins with the
/// outermost axis. An element of 3, 6, 12 ... bytes counts once for each wrong part.
std::uint64_t count_wrong_elements(std::size_t element_size, const std::vector<ArrayAxis>& axes,
                                   const void* out, const void* in);

/// Returns a sum that changes if any byte of the buffer changes, or if two bytes are swapped.
std::uint64_t checksum(const void* buffer, std::size_t bytes);

}  // namespace coalesce::proof
