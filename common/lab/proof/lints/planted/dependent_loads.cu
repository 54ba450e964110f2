// Follows links, so each load waits for the one before it. The twin computes the same indices.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kSteps = 8;

__global__ void follow_links(u32* out, const u32* next) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 at = static_cast<u32>(i), sum = 0;
    for (int k = 0; k < kSteps; ++k) {
        at = next[at];  // lint one-load-in-flight
        sum += at;
    }
    out[i] = sum;
}

__global__ void compute_links(u32* out, const u32* next, u32 threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
#pragma unroll
    for (int k = 0; k < kSteps; ++k) sum += next[static_cast<u32>(i) + k * threads];
    out[i] = sum;
}

__global__ void fill_links(u32* in, u32 n, u32 step) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) in[i] = static_cast<u32>((i + step) % n);
}

void run(const Buffers& b) {
    follow_links<<<blocks_for(b.elements / kSteps, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    compute_links<<<blocks_for(b.elements / kSteps, kBlock), kBlock>>>(
        b.out, b.in, static_cast<u32>(b.elements / kSteps));
}
void fill(const Buffers& b, bool) {
    fill_links<<<blocks_for(b.elements, kBlock), kBlock>>>(b.in, static_cast<u32>(b.elements),
                                                           static_cast<u32>(b.elements / kSteps));
}

const Register registration{
    {"dependent_loads", 1l << 28, 1l << 24, 1, 1.0 / kSteps, run, run_twin, fill}};

}  // namespace
