// Keeps 64 sums in 40 registers, because the launch bounds ask for six blocks. The twin may use
// more registers.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kSums = 64, kItems = 64;

__device__ void update_sums(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sums[kSums];
#pragma unroll
    for (int j = 0; j < kSums; ++j) sums[j] = j;
#pragma unroll 1
    for (int k = 0; k < kItems; ++k) {
        const u32 value = in[k * threads + i];
#pragma unroll
        for (int j = 0; j < kSums; ++j) sums[j] = (sums[j] + value) * (2 * j + 3);
    }
    u32 sum = 0;
#pragma unroll
    for (int j = 0; j < kSums; ++j) sum ^= sums[j];
    out[i] = sum;
}

__global__ __launch_bounds__(kBlock, 6) void update_in_few_registers(  // lint spill
    u32* out, const u32* in, long threads) {
    update_sums(out, in, threads);
}

__global__ __launch_bounds__(kBlock) void update_in_registers(u32* out, const u32* in,
                                                              long threads) {
    update_sums(out, in, threads);
}

void run(const Buffers& b) {
    const long threads = b.elements / kItems;
    update_in_few_registers<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}
void run_twin(const Buffers& b) {
    const long threads = b.elements / kItems;
    update_in_registers<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}

const Register registration{
    {"spill_by_bounds", 1l << 27, 1l << 24, 1, 1.0 / kItems, run, run_twin}};

}  // namespace
