// expect: uncoalesced-loads
// mistake: One thread adds each row, so a warp reads from 32 rows at once.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int col = 0; col < cols; col++) {
        sum += in[row * cols + col];  // here
    }
    out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 128)}, .block = {128}};
}
