/// \file Verifies an output on the device, by comparing it with the input bit for bit. The
/// comparison takes about as long as a slow transpose. The harness's verifier, which runs on the
/// host, takes seconds for a large matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/problem.h"

namespace coalesce::proof {

/// Returns the number of wrong cells of `out`, for the input `in`. Both arrays are in device
/// memory. For an in-place problem, `in` is a copy of the original matrix. The problem must only
/// move values, and not compute new ones.
std::uint64_t count_wrong_cells(const Problem& problem, const void* out, const void* in);

/// An axis of `out`: its number of elements, and the distance between neighbouring elements in
/// `in`.
struct ArrayAxis {
    std::int64_t size, step;
};
/// Returns the number of wrong elements of `out`, for an array of any shape. `axes` begins with the
/// outermost axis. Elements of 3, 6 or 12 bytes are compared in parts, and each wrong part is
/// counted as a wrong element.
std::uint64_t count_wrong_elements(std::size_t element_size, const std::vector<ArrayAxis>& axes,
                                   const void* out, const void* in);

/// Returns a sum that changes if any byte of the buffer changes, or if two bytes are swapped.
std::uint64_t compute_checksum(const void* buffer, std::size_t bytes);

}  // namespace coalesce::proof
