// expect: uncoalesced-loads
// mistake: One thread adds a whole row, so a warp reads from 32 rows at once.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int col = 0; col < cols; ++col) sum += in[row * cols + col];
    out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 64)}, .block = {64}};
}
