// expect: inputs-left-out
// mistake: The loop ends before the last elements if they are fewer than 32.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
    for (int first = 0; first + 32 <= cols; first += 32) {
        sum += in[row * cols + first + lane];  // here
    }

    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
