/// \file
/// Randomly generated access patterns of a warp. Comparing them with the hardware's counters shows
/// whether the simulator's rules, which come from a few examples, hold in general.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::proof {

/// A formula for the index that each thread accesses, and the set of threads that take part.
struct AccessFormula {
    int thread_x_stride = 1, thread_y_stride = 0, block_stride = 0;  ///< strides in elements
    int offset = 0;  ///< offset of the first element
    /// A value with which the index is XORed, as in a swizzle.
    unsigned row_swizzle_mask = 0;
    /// If nonzero, the index is replaced with a hash of itself and this value.
    unsigned scatter_seed = 0;
    unsigned lane_mask = 0xffffffff;  ///< bit mask of the lanes that take part
    /// The number of threads that take part. They are the first threads of the block, so a part of
    /// a warp may be left out.
    unsigned participating_threads = 4096;
    unsigned elements = 1;  ///< number of elements; the index is taken modulo this number

    /// Returns a description such as "3x+33y+7, lanes 0000ffff".
    std::string text() const;
};

/// A launch that loads elements, optionally passes them through shared memory, and stores them.
struct AccessPattern {
    /// size in bytes of the element that each lane moves at once: 1, 2, 4, 8 or 16
    int element_bytes = 4;
    bool uses_shared_memory = false;
    unsigned block_x = 32, block_y = 1, blocks = 1;
    AccessFormula load, store;                ///< accesses to global memory
    AccessFormula shared_store, shared_load;  ///< accesses to shared memory

    /// Returns a short description of the pattern.
    std::string text() const;
    /// Returns the name of the kernel that executes the pattern.
    std::string kernel() const { return uses_shared_memory ? "move_through_shared" : "move"; }
};

/// The sizes in bytes of each of the two global buffers (kPatternBytes) and of the array in shared
/// memory (kPatternSharedBytes).
constexpr unsigned kPatternBytes = 1u << 20, kPatternSharedBytes = 32u << 10;

/// Returns `count` patterns. The same seed gives the same patterns on every machine.
std::vector<AccessPattern> random_patterns(int count, std::uint64_t seed);

/// Launches the pattern. Both buffers are in device memory and kPatternBytes long.
void launch(const AccessPattern& pattern, void* out, const void* in);

}  // namespace coalesce::proof
