// expect: work-repeated
// mistake: Each lane adds the whole row.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
#pragma unroll 1
    for (int col = 0; col < cols; col++) {
        sum += in[row * cols + col];  // here
    }

    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
