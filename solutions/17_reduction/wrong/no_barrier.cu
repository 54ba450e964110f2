// expect: missing-barrier
// mistake: The first warp reads the sums of the other warps without waiting for them.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    __shared__ float sums[8];
    int row = blockIdx.x, lane = threadIdx.x, warp = threadIdx.y;

    float sum = 0;
    for (int col = warp * 32 + lane; col < cols; col += 256) {
        sum += in[row * cols + col];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) sums[warp] = sum;

    if (lane == 0 && warp == 0) {
        sum = 0;
        for (int i = 0; i < 8; i++) sum += sums[i];  // here
        out[row] = sum;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {unsigned(rows)}, .block = {32, 8}};
}
