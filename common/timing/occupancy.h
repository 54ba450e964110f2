// Computes how many blocks fit into the registers and the shared memory of a multiprocessor.
#pragma once

#include <algorithm>

namespace coalesce::timing {

/// Returns the number of blocks with this many warps that fit into the registers. Each quarter of a
/// multiprocessor has its own registers, and a warp cannot use those of two quarters. A thread
/// occupies at least 16 registers, in multiples of 8.
template <class Count>
constexpr Count blocks_with_registers(Count of_thread, Count warps, Count of_multiprocessor) {
    constexpr Count quarters = 4, lanes = 32, least = 16, step = 8;
    const Count of_warp = (std::max(of_thread, least) + step - 1) / step * step * lanes;
    return quarters * (of_multiprocessor / quarters / of_warp) / warps;
}

/// Returns the number of blocks whose shared memory fits into the multiprocessor. Each block also
/// needs some bytes for the system.
template <class Count>
constexpr Count blocks_with_shared(Count of_block, Count of_system, Count of_multiprocessor) {
    constexpr Count step = 128;
    return of_multiprocessor / ((of_block + of_system + step - 1) / step * step);
}

}  // namespace coalesce::timing
