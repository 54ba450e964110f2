// expect: grid-too-small
// mistake: configure divides by 256, but a block has 64 threads.
// says: one block for every 256
// never: round the number
#include "exercise.h"

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;

    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
    out[col] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 256)}, .block = {64}};  // here
}
