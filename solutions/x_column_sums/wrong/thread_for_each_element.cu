// expect: race-between-blocks | uninitialised-read
// mistake: There is a thread for each element, which adds the element to the output.
#include "exercise.h"

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col < cols) out[col] += in[row * cols + col];  // here
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64), rows}, .block = {64}};
}
