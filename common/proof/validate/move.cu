// The two kernels that do all access patterns: every index is computed at run time.

#include "harness/errors.h"
#include "proof/validate/access_pattern.h"

namespace coalesce::proof {
namespace {

__device__ unsigned thread_of_block() {
    return threadIdx.y * blockDim.x + threadIdx.x;
}

__device__ bool takes_part(const Access& access) {
    const unsigned thread = thread_of_block();
    return thread < access.first_threads && (access.lanes >> thread % 32 & 1) != 0;
}

__device__ unsigned index_of(const Access& access) {
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

template <class Element>
__global__ void move(Element* out, const Element* in, Access load, Access store) {
    Element value{};
    if (takes_part(load)) value = in[index_of(load)];
    if (takes_part(store)) out[index_of(store)] = value;
}

/// The values that arrive depend on the order of warps. Nobody looks at them: the accesses count.
template <class Element>
__global__ void move_through_shared(Element* out, const Element* in, Access load,
                                    Access shared_store, Access shared_load, Access store) {
    extern __shared__ uint4 shared[];
    Element* tile = reinterpret_cast<Element*>(shared);
    Element value{};
    if (takes_part(load)) value = in[index_of(load)];
    if (takes_part(shared_store)) tile[index_of(shared_store)] = value;
    __syncthreads();
    if (takes_part(shared_load)) value = tile[index_of(shared_load)];
    if (takes_part(store)) out[index_of(store)] = value;
}

template <class Element>
void launch_as(const AccessPattern& pattern, void* out, const void* in) {
    const dim3 block(pattern.block_x, pattern.block_y);
    auto* to = static_cast<Element*>(out);
    const auto* from = static_cast<const Element*>(in);
    if (pattern.through_shared) {
        move_through_shared<<<pattern.blocks, block, kPatternSharedBytes>>>(
            to, from, pattern.load, pattern.shared_store, pattern.shared_load, pattern.store);
    } else {
        move<<<pattern.blocks, block>>>(to, from, pattern.load, pattern.store);
    }
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void launch(const AccessPattern& pattern, void* out, const void* in) {
    switch (pattern.element_bytes) {
        case 1: return launch_as<unsigned char>(pattern, out, in);
        case 2: return launch_as<unsigned short>(pattern, out, in);
        case 4: return launch_as<unsigned>(pattern, out, in);
        case 8: return launch_as<uint2>(pattern, out, in);
        default: return launch_as<uint4>(pattern, out, in);
    }
}

}  // namespace coalesce::proof
