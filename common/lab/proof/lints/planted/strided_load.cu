// Loads every fourth word of an array. The twin loads the same words without gaps.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kStride = 4;

__global__ void load_strided(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 value = in[kStride * i];  // lint uncoalesced-load
    out[i] = value;
}

__global__ void load_packed(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void fill_words(u32* in, long n, int stride) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) in[i * stride] = hash(i);
}

void run(const Buffers& b) {
    load_strided<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    load_packed<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void fill(const Buffers& b, bool is_twin) {
    fill_words<<<blocks_for(b.elements, kBlock), kBlock>>>(b.in, b.elements, is_twin ? 1 : kStride);
}

const Register registration{{"strided_load", 1l << 27, 1l << 21, kStride, 1, run, run_twin, fill}};

}  // namespace
