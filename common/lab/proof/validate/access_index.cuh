/// \file
/// Computes on the device which threads take part in an access, and which elements they access.
#pragma once

#include "lab/proof/validate/access_pattern.h"

namespace coalesce::proof {

__device__ inline unsigned thread_of_block() {
    return threadIdx.y * blockDim.x + threadIdx.x;
}

__device__ inline bool takes_part(const AccessFormula& access) {
    const unsigned thread = thread_of_block();
    return thread < access.participating_threads && (access.lane_mask >> thread % 32 & 1) != 0;
}

__device__ inline unsigned index_of(const AccessFormula& access) {
    unsigned index =
        static_cast<unsigned>(static_cast<int>(threadIdx.x) * access.along_x +
                              static_cast<int>(threadIdx.y) * access.along_y +
                              static_cast<int>(blockIdx.x) * access.along_block + access.offset);
    if (access.scatter != 0) {
        index = (index ^ access.scatter) * 0x7feb352du;
        index = (index ^ index >> 15) * 0x846ca68bu;
        index ^= index >> 16;
    }
    return (index ^ access.exclusive_or) % access.elements;
}

}  // namespace coalesce::proof
