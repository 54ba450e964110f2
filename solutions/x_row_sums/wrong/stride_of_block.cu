// expect: inputs-left-out
// mistake: The loop advances by all threads of the block, but a row has one warp.
// says: advances by 256
// never: whole group
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float sum = 0;

    const int threads = blockDim.x * blockDim.y;
    for (int c = lane; c < cols; c += threads) {  // here
        sum += in[row * cols + c];
    }
    for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);

    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
