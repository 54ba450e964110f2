/// \file
/// The cases in which `coalesce::permute` is measured, and what it takes to verify them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::proof {

/// An array whose axes change their order.
struct PermuteCase {
    std::string name;                 ///< "attention heads, 2 bytes"
    int element_size = 4;             ///< bytes
    std::vector<std::int64_t> sizes;  ///< of the axes of `in`
    std::vector<int> order;           ///< axis k of `out` is axis order[k] of `in`

    std::size_t bytes() const;
    /// "8 x 4096 x 32 x 128"
    std::string shape() const;
    /// "0 2 1 3"
    std::string order_text() const;
};

/// All of them; `divided` makes the long axes shorter, for a device that is no GPU.
std::vector<PermuteCase> permute_cases(bool divided);

/// Calls `coalesce::permute` in the default stream; throws CudaError.
void permute_case(void* out, const void* in, const PermuteCase& one);
/// Elements of `out` that are not what the definition says.
std::uint64_t wrong_elements(const void* out, const void* in, const PermuteCase& one);

}  // namespace coalesce::proof
