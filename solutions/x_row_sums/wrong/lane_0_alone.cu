// expect: work-repeated
// mistake: Let lane 0 add the whole row.
// says: single thread executes this loop
#include "exercise.h"  // Launch, ceil_div

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float sum = 0;

    // Lane 0 stores the sum, so it has to add the elements.
    if (lane == 0) {
        for (int col = 0; col < cols; ++col) sum += in[row * cols + col];  // here
    }

    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
