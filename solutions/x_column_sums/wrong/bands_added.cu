// expect: race-between-blocks
// mistake: Blocks of different rows add to the same element without an atomic operation.
// says: such as atomicAdd
#include "exercise.h"

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, first = 40 * blockIdx.y;
    if (col >= cols) return;
    float sum = 0;
    for (int row = first; row < rows && row < first + 40; ++row) sum += in[row * cols + col];
    if (first == 0) {
        out[col] = sum;  // here
    } else {
        out[col] = out[col] + sum;  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64), ceil_div(rows, 40)}, .block = {64}};
}
