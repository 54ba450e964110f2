// Exercise x_row_sums -- add the elements of each row, with a warp for each row.
//
// Given   the row of each warp, and the store of the sum by lane 0.
// Write   the sum: each lane adds its own elements, then the lanes are combined (4 lines).
// Check   ./learn check x_row_sums          Stuck?   ./learn hint x_row_sums
#include "exercise.h"  // Launch, ceil_div

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float sum = 0;

    //! [blank]
    //! // TODO: add the elements of this row. Afterwards lane 0 must have the whole sum.
    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    //! [blank]

    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
