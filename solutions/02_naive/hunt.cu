// Bug hunt 02_naive -- a colleague's transpose, which coalesces its stores instead of its loads.
//
// Seen    The result was correct for 256 x 256, 1024 x 1024 and 32768 x 32768.
// Fix     the bug, and change as little as you can (1 line).
// Check   ./learn check 02 --hunt
#include "exercise.h"  // Launch, ceil_div

// The 32 threads of a warp read 32 rows of `in`, and their elements are neighbours in `out`.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    //! [blank]
    //! return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
    return {.grid = {ceil_div(rows, 32), ceil_div(cols, 8)}, .block = {32, 8}};
    //! [blank]
}
