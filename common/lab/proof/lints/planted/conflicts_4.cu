// Loads one word of items that have 4 words each in shared memory, a bank conflict of 4 lanes.
// The twin pads the items.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kWords = 4, kTurns = 32;
constexpr int kItems = kBlock + 2 * kTurns;

template <int kPitch>
__device__ void sum_items(u32* out, const u32* in, u32* items) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < kItems; k += kBlock) items[k * kPitch] = in[k];
    __syncthreads();
    u32 sum = 0;
    for (int j = 0; j < kTurns; ++j) {
        const u32* first = items + (threadIdx.x + j) * kPitch;
#pragma unroll
        for (int k = 0; k < kTurns; ++k) {
            sum += first[k * kPitch];  // lint bank-conflict
        }
    }
    out[i] = sum;
}

__global__ void sum_unpadded(u32* out, const u32* in) {
    __shared__ u32 items[kItems * kWords];
    sum_items<kWords>(out, in, items);
}

__global__ void sum_padded(u32* out, const u32* in) {
    __shared__ u32 items[kItems * (kWords + 1)];
    sum_items<kWords + 1>(out, in, items);
}

void run(const Buffers& b) {
    sum_unpadded<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    sum_padded<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"conflicts_4", 1l << 23, 1l << 19, 1, 1, run, run_twin}};

}  // namespace
