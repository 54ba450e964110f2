// Counts in an array per thread whose index is known only at run time, so the array lies in local
// memory. The twin keeps it in shared memory.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 128, kBins = 16, kItems = 64;

__global__ void count_in_local(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 counts[kBins] = {};
#pragma unroll 1
    for (int k = 0; k < kItems; ++k) {
        const u32 bin = in[k * threads + i] % kBins;
        counts[bin] += 1;  // lint spill
    }
    u32 sum = 0;
#pragma unroll
    for (int k = 0; k < kBins; ++k) sum += counts[k] * counts[k];
    out[i] = sum;
}

__global__ void count_in_shared(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ u32 counts[kBins * kBlock];
    u32* own = counts + threadIdx.x;
#pragma unroll
    for (int k = 0; k < kBins; ++k) own[k * kBlock] = 0;
#pragma unroll 1
    for (int k = 0; k < kItems; ++k) own[in[k * threads + i] % kBins * kBlock] += 1;
    u32 sum = 0;
#pragma unroll
    for (int k = 0; k < kBins; ++k) sum += own[k * kBlock] * own[k * kBlock];
    out[i] = sum;
}

void run(const Buffers& b) {
    const long threads = b.elements / kItems;
    count_in_local<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}
void run_twin(const Buffers& b) {
    const long threads = b.elements / kItems;
    count_in_shared<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}

const Register registration{{"indexed_array", 1l << 28, 1l << 24, 1, 1.0 / kItems, run, run_twin}};

}  // namespace
