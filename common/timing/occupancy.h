// How many blocks a multiprocessor has registers, and shared memory, for.
#pragma once

#include <algorithm>

namespace coalesce::timing {

/// Of so many warps, whose threads take so many registers. Each of a multiprocessor's four quarters has registers of its
/// own: a warp's are all in one of them, and a thread takes at least 16, by eights.
template <class Count>
constexpr Count blocks_with_registers(Count of_thread, Count warps, Count of_multiprocessor) {
    constexpr Count quarters = 4, lanes = 32, least = 16, step = 8;
    const Count of_warp = (std::max(of_thread, least) + step - 1) / step * step * lanes;
    return quarters * (of_multiprocessor / quarters / of_warp) / warps;
}

/// With so much shared memory each, and what the system takes beside it.
template <class Count>
constexpr Count blocks_with_shared(Count of_block, Count of_system, Count of_multiprocessor) {
    constexpr Count step = 128;
    return of_multiprocessor / ((of_block + of_system + step - 1) / step * step);
}

}  // namespace coalesce::timing
