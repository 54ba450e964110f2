/// \file
/// Computes on the device which threads take part in an access, and which elements they access.
#pragma once

#include "lab/proof/validate/access_pattern.h"

namespace coalesce::proof {

__device__ inline unsigned thread_index_in_block() {
    return threadIdx.y * blockDim.x + threadIdx.x;
}

__device__ inline bool is_thread_participating(const AccessFormula& access) {
    const unsigned thread = thread_index_in_block();
    return thread < access.participating_threads && (access.lane_mask >> thread % 32 & 1) != 0;
}

__device__ inline unsigned element_index_of(const AccessFormula& access) {
    unsigned index =
        static_cast<unsigned>(static_cast<int>(threadIdx.x) * access.thread_x_stride +
                              static_cast<int>(threadIdx.y) * access.thread_y_stride +
                              static_cast<int>(blockIdx.x) * access.block_stride + access.offset);
    if (access.scatter_seed != 0) {
        index = (index ^ access.scatter_seed) * 0x7feb352du;
        index = (index ^ index >> 15) * 0x846ca68bu;
        index ^= index >> 16;
    }
    return (index ^ access.row_swizzle_mask) % access.elements;
}

}  // namespace coalesce::proof
