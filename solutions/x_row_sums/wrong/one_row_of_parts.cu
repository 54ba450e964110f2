// expect: missing-barrier
// mistake: Use the same 32 elements of shared memory for all rows of a block.
// says: no index of `part`
#include "exercise.h"  // Launch, ceil_div

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    __shared__ float part[32];  // here
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float sum = 0;

    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
    part[lane] = sum;
    __syncwarp();
    if (lane == 0) {
        for (int i = 1; i < 32; ++i) sum += part[i];
    }

    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
