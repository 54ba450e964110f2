// Keeps a table of 96 KiB in shared memory for each block of 128 threads. In the twin, 1024 threads
// share a table.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kTableWords = 24 * 1024, kBlocksPerGpu = 132 * 2;

template <int kBlock>
__global__ void look_up(u32* out, const u32* in, long n) {  // lint low-occupancy
    extern __shared__ u32 table[];
    for (int k = threadIdx.x; k < kTableWords; k += kBlock) table[k] = hash(k);
    __syncthreads();
    const long step = static_cast<long>(gridDim.x) * kBlock;
#pragma unroll 1
    for (long i = static_cast<long>(blockIdx.x) * kBlock + threadIdx.x; i < n; i += step)
        out[i] = table[in[i] % kTableWords];
}

template <int kBlock>
void launch(const Buffers& b) {
    constexpr int bytes = kTableWords * sizeof(u32);
    cudaFuncSetAttribute(look_up<kBlock>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    look_up<kBlock><<<kBlocksPerGpu, kBlock, bytes>>>(b.out, b.in, b.elements);
}

const Register registration{{"large_table", 1l << 26, 1l << 22, 1, 1, launch<128>, launch<1024>}};

}  // namespace
