// Declares 48 KiB of shared memory and uses 512 bytes. The twin declares as much as it uses.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 128;

template <int kWords>
__device__ void reverse(u32* out, const u32* in, u32* tile) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[kBlock - 1 - threadIdx.x];
}

__global__ void reverse_in_large_tile(u32* out, const u32* in) {
    __shared__ u32 tile[12 * 1024];  // lint unused-shared
    reverse<12 * 1024>(out, in, tile);
}

__global__ void reverse_in_tile(u32* out, const u32* in) {
    __shared__ u32 tile[kBlock];
    reverse<kBlock>(out, in, tile);
}

void run(const Buffers& b) {
    reverse_in_large_tile<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    reverse_in_tile<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"oversized_shared", 1l << 27, 1l << 22, 1, 1, run, run_twin}};

}  // namespace
