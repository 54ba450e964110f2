// expect: uncoalesced-loads
// mistake: Each lane adds a piece of the row whose elements are side by side.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
    int piece = ceil_div(cols, 32);
    for (int col = lane * piece; col < min((lane + 1) * piece, cols); col++) {
        sum += in[row * cols + col];  // here
    }

    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
