// Adds one value per thread to a single sum in global memory. The twin first adds up the values of
// a block.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256;

__global__ void add_all(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 value = in[i] & 15;
    atomicAdd(out, value);  // lint atomics-contended
}

__global__ void add_blocks(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ u32 sums[kBlock / 32];
    u32 sum = in[i] & 15;
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int k = 1; k < kBlock / 32; ++k) sum += sums[k];
    atomicAdd(out, sum);
}

void run(const Buffers& b) {
    add_all<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    add_blocks<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"global_counter", 1l << 27, 1l << 21, 1, 0, run, run_twin}};

}  // namespace
