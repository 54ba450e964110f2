// expect: wrong-elements
// mistake: Share the rows of a column out to the threads.
// says: no other thread takes the rest
#include "exercise.h"  // Launch, ceil_div

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;

    // Each thread takes its part of the rows.
    float sum = 0;
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {  // here
        sum += in[row * cols + col];
    }
    out[col] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64)}, .block = {64}};
}
