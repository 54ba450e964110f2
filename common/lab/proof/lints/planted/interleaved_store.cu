// Stores the four channels of a pixel one after another. The twin stores a pixel at once.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256;

__global__ void store_channels(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 grey = in[i];
    for (int k = 0; k < 4; ++k) {
        out[4 * i + k] = grey >> k;  // lint uncoalesced-store
    }
}

__global__ void store_pixels(uint4* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 grey = in[i];
    out[i] = {grey, grey >> 1, grey >> 2, grey >> 3};
}

void run(const Buffers& b) {
    store_channels<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    store_pixels<<<blocks_for(b.elements, kBlock), kBlock>>>(reinterpret_cast<uint4*>(b.out), b.in);
}

const Register registration{{"interleaved_store", 1l << 26, 1l << 21, 1, 4, run, run_twin}};

}  // namespace
