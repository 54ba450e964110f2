// Exercise 02_naive -- transpose with one thread per element.
//
// Given   a grid with at least one thread for every element of `in`.
// Write   the body of the kernel, and nothing else (3 lines).
// Check   ./learn check 02          Stuck?   ./learn hint 02
#include "exercise.h"  // Launch, ceil_div

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    //! [blank]
    //! // TODO: if (row, col) is inside `in`, store that element where it belongs in `out`.
    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
    //! [blank]
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
