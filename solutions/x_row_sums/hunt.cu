// Bug hunt x_row_sums -- this sum is too small.
//
// Seen    The sum is correct for one column. For more columns, it is about half as large as it should be.
// Fix     the bug (1 line).
// Check   ./learn check x_row_sums --hunt
#include "exercise.h"  // Launch, ceil_div

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
    //! [blank]
    //! for (int offset = 16; offset > 1; offset /= 2) {
    for (int offset = 16; offset > 0; offset /= 2) {
        //! [blank]
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
