// Multiplies a matrix by a vector with one thread per row. The twin uses one warp per row.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kCols = 256, kBlock = 256;

__global__ void multiply_by_thread(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
    for (int col = 0; col < kCols; ++col) {
        sum += in[i * kCols + col] * (col + 1);  // lint uncoalesced-load
    }
    out[i] = sum;
}

__global__ void multiply_by_warp(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long row = i / 32;
    const int lane = threadIdx.x % 32;
    u32 sum = 0;
    for (int col = lane; col < kCols; col += 32) sum += in[row * kCols + col] * (col + 1);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (lane == 0) out[row] = sum;
}

void run(const Buffers& b) {
    multiply_by_thread<<<blocks_for(b.elements / kCols, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    multiply_by_warp<<<blocks_for(b.elements / kCols * 32, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"matrix_vector", 1l << 28, 1l << 25, 1, 1.0 / kCols, run, run_twin}};

}  // namespace
