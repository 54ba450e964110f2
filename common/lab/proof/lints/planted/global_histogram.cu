// Counts values in 16 bins in global memory. The twin counts in shared memory first.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kBins = 16, kItems = 16;

__global__ void count_globally(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int k = 0; k < kItems; ++k) {
        const u32 bin = in[k * threads + i] >> (32 - 4);
        atomicAdd(&out[bin], 1);  // lint atomics-contended
    }
}

/// Each block counts in shared memory first.
__global__ void count_in_blocks(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ u32 counts[kBins];
    if (threadIdx.x < kBins) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < kItems; ++k) {
        const u32 bin = in[k * threads + i] >> (32 - 4);
        atomicAdd(&counts[bin], 1);
    }
    __syncthreads();
    if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

void run(const Buffers& b) {
    const long threads = b.elements / kItems;
    count_globally<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}
void run_twin(const Buffers& b) {
    const long threads = b.elements / kItems;
    count_in_blocks<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}

const Register registration{{"global_histogram", 1l << 26, 1l << 21, 1, .0001, run, run_twin}};

}  // namespace
