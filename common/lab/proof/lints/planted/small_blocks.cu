// Launches blocks of one warp, so a multiprocessor holds half of its warps. The twin launches
// blocks of eight warps.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kItems = 16;

__global__ void add_words(u32* out, const u32* in, long threads) {  // lint low-occupancy
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
#pragma unroll 1
    for (int k = 0; k < kItems; ++k) sum += in[k * threads + i];
    out[i] = sum;
}

void run(const Buffers& b) {
    const long threads = b.elements / kItems;
    add_words<<<blocks_for(threads, 32), 32>>>(b.out, b.in, threads);
}
void run_twin(const Buffers& b) {
    const long threads = b.elements / kItems;
    add_words<<<blocks_for(threads, 256), 256>>>(b.out, b.in, threads);
}

const Register registration{{"small_blocks", 1l << 28, 1l << 24, 1, 1.0 / kItems, run, run_twin}};

}  // namespace
