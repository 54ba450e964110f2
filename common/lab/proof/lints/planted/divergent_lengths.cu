// Runs a loop whose number of iterations differs between the lanes of a warp. The twin gets the
// same numbers of iterations in ascending order.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kMaxTurns = 512;

__global__ void iterate(u32* out, const u32* turns) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 count = turns[i];
    u32 state = count + 1;
#pragma unroll 1
    for (u32 k = 0; k < count; ++k) {  // lint divergent-loop
        state = state * 1664525u + 1013904223u;
        state ^= state >> 7;
    }
    out[i] = state;
}

__global__ void fill_turns(u32* in, long n, bool is_sorted) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const long rank = is_sorted ? i : scatter(i, n);
    in[i] = static_cast<u32>(rank / (n / kMaxTurns));
}

void run(const Buffers& b) {
    iterate<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    iterate<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void fill(const Buffers& b, bool is_twin) {
    fill_turns<<<blocks_for(b.elements, kBlock), kBlock>>>(b.in, b.elements, is_twin);
}

const Register registration{{"divergent_lengths", 1l << 23, 1l << 18, 1, 1, run, run_twin, fill}};

}  // namespace
