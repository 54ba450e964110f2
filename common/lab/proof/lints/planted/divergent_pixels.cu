// Iterates over points of the Mandelbrot set. The lanes of a warp take points that are far apart.
// The twin gives neighbouring points to a warp.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kMaxTurns = 400;

__device__ u32 count_turns(long point, long n) {
    const int side = static_cast<int>(sqrtf(static_cast<float>(n)) + .5f);
    const float cx = -2 + 3.f * (point % side) / side, cy = -1.5f + 3.f * (point / side) / side;
    float x = 0, y = 0;
    u32 turns = 0;
#pragma unroll 1
    while (turns < kMaxTurns && x * x + y * y < 4) {  // lint divergent-loop
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++turns;
    }
    return turns;
}

__global__ void iterate_scattered(u32* out, long n) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = count_turns(scatter(i, n), n);
}

__global__ void iterate_neighbours(u32* out, long n) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = count_turns(i, n);
}

void run(const Buffers& b) {
    iterate_scattered<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.elements);
}
void run_twin(const Buffers& b) {
    iterate_neighbours<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.elements);
}

const Register registration{{"divergent_pixels", 1l << 24, 1l << 18, 0, 1, run, run_twin}};

}  // namespace
