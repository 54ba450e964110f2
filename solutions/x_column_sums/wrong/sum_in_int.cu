// expect: wrong-elements
// mistake: The sum is an int, so fractions are lost.
// says: are whole numbers
#include "exercise.h"

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    int sum = 0;
    for (int row = 0; row < rows; ++row) sum += 100 * in[row * cols + col];
    out[col] = sum / 100;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64)}, .block = {64}};
}
