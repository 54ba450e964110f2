// Exercise 17_reduction -- add the elements of each row, with a warp per row.
//
// Given   a kernel in which one thread adds a whole row. It is correct, but its loads are not
//         coalesced.
// Write   a kernel in which the 32 lanes of a warp add a row together, and its launch (12 lines).
// Check   ./learn check 17          Stuck?   ./learn hint 17
#include "exercise.h"  // Launch, ceil_div

constexpr int WARPS = 8;  // warps per block

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    //! [blank]
    //! // TODO: let lane 0 store the sum of what all 32 lanes have added.
    //! int row = blockIdx.x * blockDim.x + threadIdx.x;
    //! if (row >= rows) return;
    //!
    //! float sum = 0;
    //! for (int col = 0; col < cols; col++) {
    //!     sum += in[row * cols + col];
    //! }
    //! out[row] = sum;
    int row = blockIdx.x * WARPS + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    // In each iteration, the lanes read 32 neighbouring elements.
    float sum = 0;
    for (int col = lane; col < cols; col += 32) {
        sum += in[row * cols + col];
    }

    // Each step adds the sums of the upper lanes to those of the lower lanes.
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) out[row] = sum;
    //! [blank]
}

constexpr Launch configure(int rows, int cols) {
    //! [blank]
    //! return {.grid = {ceil_div(rows, 32 * WARPS)}, .block = {32 * WARPS}};
    return {.grid = {ceil_div(rows, WARPS)}, .block = {32, WARPS}};
    //! [blank]
}
