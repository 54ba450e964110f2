// Launches 66 blocks, half as many as there are multiprocessors. The twin launches eight for each
// multiprocessor.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256;

__global__ void scale(u32* out, const u32* in, long n) {  // lint low-occupancy
    const long step = static_cast<long>(gridDim.x) * blockDim.x;
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (long k = i; k < n; k += step) out[k] = 3 * in[k];
}

void run(const Buffers& b) {
    scale<<<66, kBlock>>>(b.out, b.in, b.elements);
}
void run_twin(const Buffers& b) {
    scale<<<132 * 8, kBlock>>>(b.out, b.in, b.elements);
}

const Register registration{{"few_blocks", 1l << 26, 1l << 22, 1, 1, run, run_twin}};

}  // namespace
