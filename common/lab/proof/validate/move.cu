// The two kernels that execute all access patterns. They compute every index at run time.

#include "harness/errors.h"
#include "lab/proof/validate/access_index.cuh"

namespace coalesce::proof {
namespace {

template <class Element>
__global__ void move(Element* out, const Element* in, AccessFormula load, AccessFormula store) {
    Element value{};
    if (is_thread_participating(load)) value = in[element_index_of(load)];
    if (is_thread_participating(store)) out[element_index_of(store)] = value;
}

/// The stored values depend on the order of warps. They are not checked, because only the accesses
/// matter.
template <class Element>
__global__ void move_through_shared(Element* out, const Element* in, AccessFormula load,
                                    AccessFormula shared_store, AccessFormula shared_load,
                                    AccessFormula store) {
    extern __shared__ uint4 shared[];
    Element* tile = reinterpret_cast<Element*>(shared);
    Element value{};
    if (is_thread_participating(load)) value = in[element_index_of(load)];
    if (is_thread_participating(shared_store)) tile[element_index_of(shared_store)] = value;
    __syncthreads();
    if (is_thread_participating(shared_load)) value = tile[element_index_of(shared_load)];
    if (is_thread_participating(store)) out[element_index_of(store)] = value;
}

template <class Element>
void launch_as(const AccessPattern& pattern, void* out, const void* in) {
    const dim3 block(pattern.block_x, pattern.block_y);
    auto* to = static_cast<Element*>(out);
    const auto* from = static_cast<const Element*>(in);
    if (pattern.uses_shared_memory) {
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
