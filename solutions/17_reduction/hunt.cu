// Bug hunt 17_reduction -- a colleague's row sums, with a block per row.
//
// Seen    The sums were correct in every test on the colleague's GPU. On a newer GPU, a few of
//         them were too small, and different ones in each run.
// Fix     the bug (1 line).
// Check   ./learn check 17 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int WARPS = 8;  // warps per block

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    __shared__ float sums[WARPS];
    int row = blockIdx.x;
    int warp = threadIdx.y;
    int lane = threadIdx.x;

    float sum = 0;
    for (int col = warp * 32 + lane; col < cols; col += 32 * WARPS) {
        sum += in[row * cols + col];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) sums[warp] = sum;
    //! [blank]
    //! __syncwarp();
    __syncthreads();
    //! [blank]

    // The first warp adds the sums of all warps.
    if (warp == 0) {
        sum = lane < WARPS ? sums[lane] : 0;
        for (int offset = WARPS / 2; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        }
        if (lane == 0) out[row] = sum;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {unsigned(rows)}, .block = {32, WARPS}};
}
