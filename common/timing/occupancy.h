// Computes how many blocks fit into the registers and the shared memory of a multiprocessor.
#pragma once

#include <algorithm>
#include <cstdint>

namespace coalesce::timing {

/// The maximum number of registers per thread at which a multiprocessor can hold all of its warps.
/// ptxas tries not to use more registers.
inline constexpr std::uint32_t kRegistersForFullOccupancy = 32;

/// Returns the number of blocks with this many warps that fit into the registers. Each quarter of a
/// multiprocessor has its own registers, and a warp cannot use those of two quarters. A thread
/// occupies at least 16 registers, in multiples of 8.
template <class Count>
constexpr Count max_blocks_by_registers(Count registers_per_thread, Count warps,
                                        Count multiprocessor_registers) {
    constexpr Count quarters = 4, lanes = 32, min_registers = 16, allocation_step = 8;
    const Count registers_per_warp =
        (std::max(registers_per_thread, min_registers) + allocation_step - 1) / allocation_step *
        allocation_step * lanes;
    return quarters * (multiprocessor_registers / quarters / registers_per_warp) / warps;
}

/// Returns the number of blocks whose shared memory fits into the multiprocessor. Each block also
/// needs some bytes for the system.
template <class Count>
constexpr Count max_blocks_by_shared_memory(Count block_shared_bytes, Count system_shared_bytes,
                                            Count multiprocessor_shared_bytes) {
    constexpr Count allocation_step = 128;
    return multiprocessor_shared_bytes /
           ((block_shared_bytes + system_shared_bytes + allocation_step - 1) / allocation_step *
            allocation_step);
}

}  // namespace coalesce::timing
