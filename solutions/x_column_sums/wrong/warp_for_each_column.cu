// expect: uncoalesced-loads
// mistake: A warp adds a column, so its lanes read from 32 rows at once.
#include "exercise.h"

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (col >= cols) return;
    float sum = 0;
    for (int row = lane; row < rows; row += 32) sum += in[row * cols + col];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) out[col] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 8)}, .block = {32, 8}};
}
