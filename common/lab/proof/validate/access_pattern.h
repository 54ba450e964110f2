/// \file
/// Ways in which a warp can touch memory, made at random: what the simulator counts for them must be
/// what hardware counts, or its rule only fits the examples that it was made from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::proof {

/// Which element each thread touches, and which lanes do.
struct Access {
    int along_x = 1, along_y = 0, along_block = 0;  ///< strides in elements
    int offset = 0;                                 ///< of the first
    unsigned exclusive_or = 0;                      ///< with the index: a swizzle
    unsigned scatter = 0;                           ///< not 0: the index is hashed with this
    unsigned lanes = 0xffffffff;                    ///< that take part
    unsigned first_threads = 4096;                  ///< of the block, that take part: a ragged edge
    unsigned elements = 1;                          ///< the index is taken modulo this

    /// "3x+33y+7, lanes 0000ffff"
    std::string text() const;
};

/// One launch: elements are loaded, perhaps put through shared memory, and stored.
struct AccessPattern {
    int element_bytes = 4;  ///< 1, 2, 4, 8 or 16: how much each lane moves at once
    bool through_shared = false;
    unsigned block_x = 32, block_y = 1, blocks = 1;
    Access load, store;                ///< of global memory
    Access shared_store, shared_load;  ///< of shared memory

    /// All of it, short.
    std::string text() const;
    /// The kernel that does it.
    std::string kernel() const { return through_shared ? "move_through_shared" : "move"; }
};

/// Bytes of the two buffers that patterns work in, and of shared memory.
constexpr unsigned kPatternBytes = 1u << 20, kPatternSharedBytes = 32u << 10;

/// `count` patterns; the same seed gives the same ones everywhere.
std::vector<AccessPattern> random_patterns(int count, std::uint64_t seed);

/// Launches it. Both buffers have kPatternBytes of device memory.
void launch(const AccessPattern& pattern, void* out, const void* in);

}  // namespace coalesce::proof
