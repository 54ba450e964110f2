// Adds weights to sums in shared memory. Most items have the same label, as in an image with a
// uniform background.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kBins = 8, kItems = 32;

__device__ u32 label_of(u32 item) {
    return (item >> 24) < 8 ? item >> 24 : 0;
}

__global__ void add_weights(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ u32 sums[kBins];
    if (threadIdx.x < kBins) sums[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < kItems; ++k) {
        const u32 item = in[k * threads + i];
        atomicAdd(&sums[label_of(item)], item & 255);  // lint atomics-contended
    }
    __syncthreads();
    if (threadIdx.x < kBins) out[blockIdx.x * kBins + threadIdx.x] = sums[threadIdx.x];
}

/// Each lane has sums of its own, in a bank of its own.
__global__ void add_weights_by_lane(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ u32 sums[kBins * 32];
    for (int k = threadIdx.x; k < kBins * 32; k += kBlock) sums[k] = 0;
    __syncthreads();
    for (int k = 0; k < kItems; ++k) {
        const u32 item = in[k * threads + i];
        atomicAdd(&sums[label_of(item) * 32 + threadIdx.x % 32], item & 255);
    }
    __syncthreads();
    if (threadIdx.x >= kBins) return;
    u32 sum = 0;
    for (int k = 0; k < 32; ++k) sum += sums[threadIdx.x * 32 + (k + threadIdx.x) % 32];
    out[blockIdx.x * kBins + threadIdx.x] = sum;
}

void run(const Buffers& b) {
    const long threads = b.elements / kItems;
    add_weights<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}
void run_twin(const Buffers& b) {
    const long threads = b.elements / kItems;
    add_weights_by_lane<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}

const Register registration{{"shared_atomics_one", 1l << 28, 1l << 23, 1, 1, run, run_twin}};

}  // namespace
