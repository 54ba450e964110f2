// expect: wrong-elements
// mistake: The index is that of the transposed matrix.
// says: a row of `in` has `cols` elements
#include "exercise.h"

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;

    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += in[col * rows + row];  // here
    out[col] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64)}, .block = {64}};
}
