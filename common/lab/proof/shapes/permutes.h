/// \file
/// The benchmark cases of `coalesce::permute`, and functions to run and verify them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::proof {

/// An array whose axes are permuted.
struct PermuteCase {
    std::string name;      ///< description for tables, such as "attention heads, 2 bytes"
    int element_size = 4;  ///< bytes per element
    std::vector<std::int64_t> sizes;  ///< sizes of the axes of `in`
    std::vector<int> order;           ///< axis k of `out` is axis order[k] of `in`

    std::size_t bytes() const;
    /// Returns the shape, such as "8 x 4096 x 32 x 128".
    std::string shape_text() const;
    /// Returns the order, such as "0 2 1 3".
    std::string order_text() const;
};

/// Returns all cases. If `divided` is true, the long axes are shortened, so that the simulated GPU
/// can run the cases.
std::vector<PermuteCase> permute_cases(bool divided);

/// Calls `coalesce::permute` on the default stream. Throws CudaError.
void permute_case(void* out, const void* in, const PermuteCase& one);
std::uint64_t wrong_elements(const void* out, const void* in, const PermuteCase& one);

}  // namespace coalesce::proof
