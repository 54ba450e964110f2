// expect: work-repeated
// mistake: Keep the sum in the output.
// says: loaded and stored in every pass
#include "exercise.h"  // Launch, ceil_div

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;

    out[col] = 0;
    for (int row = 0; row < rows; ++row) {
        out[col] += in[row * cols + col];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64)}, .block = {64}};
}
