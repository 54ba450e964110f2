// Stores rows of 16 words into columns of shared memory. The twin pads the columns.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kSide = 16, kTurns = 64;

/// Each warp transposes tiles of 16 x 16 words, and adds up a part of them.
template <int kPitch>
__device__ void transpose_tiles(u32* out, const u32* in, u32* tile) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32, col = lane % kSide, row = lane / kSide;
    u32* own = tile + threadIdx.x / 32 * (kSide * kPitch);
    u32 value = in[i], sum = 0;
    for (int j = 0; j < kTurns; ++j) {
#pragma unroll
        for (int k = 0; k < kSide; k += 2) {
            own[col * kPitch + row + k] = value + k;  // lint bank-conflict
        }
        __syncwarp();
        value = own[row * kPitch + col] + j;
        sum += value;
        __syncwarp();
    }
    out[i] = sum;
}

__global__ void transpose_unpadded(u32* out, const u32* in) {
    __shared__ u32 tile[kBlock / 32 * kSide * kSide];
    transpose_tiles<kSide>(out, in, tile);
}

__global__ void transpose_padded(u32* out, const u32* in) {
    __shared__ u32 tile[kBlock / 32 * kSide * (kSide + 1)];
    transpose_tiles<kSide + 1>(out, in, tile);
}

void run(const Buffers& b) {
    transpose_unpadded<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    transpose_padded<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"conflicts_of_stores", 1l << 23, 1l << 19, 1, 1, run, run_twin}};

}  // namespace
