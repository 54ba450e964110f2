// Stores every fourth word of an array. The twin stores the same words without gaps.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kStride = 4;

__global__ void store_strided(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 value = in[i];
    out[kStride * i] = value;  // lint uncoalesced-store
}

__global__ void store_packed(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

void run(const Buffers& b) {
    store_strided<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    store_packed<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"strided_store", 1l << 27, 1l << 21, 1, kStride, run, run_twin}};

}  // namespace
