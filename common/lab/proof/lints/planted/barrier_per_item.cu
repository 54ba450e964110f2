// Exchanges values of neighbouring lanes with a barrier of the whole block in every iteration. The
// twin waits for the warp only.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 1024, kItems = 64;

template <bool is_twin>
__device__ void wait() {
    if (is_twin)
        __syncwarp();
    else
        __syncthreads();  // lint barrier-bound
}

template <bool is_twin>
__device__ void exchange(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ u32 values[kBlock];
    u32 sum = in[i];
    for (int k = 0; k < kItems; ++k) {
        values[threadIdx.x] = sum;
        wait<is_twin>();
        sum += values[threadIdx.x ^ 1] >> 1;
        wait<is_twin>();
    }
    out[i] = sum;
}

__global__ void exchange_in_blocks(u32* out, const u32* in) {
    exchange<false>(out, in);
}

__global__ void exchange_in_warps(u32* out, const u32* in) {
    exchange<true>(out, in);
}

void run(const Buffers& b) {
    exchange_in_blocks<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    exchange_in_warps<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"barrier_per_item", 1l << 25, 1l << 20, 1, 1, run, run_twin}};

}  // namespace
