// expect: wrong-elements
// mistake: Every sum begins with the first element of the matrix.
// says: if in[0] were the first element of every column
#include "exercise.h"

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    float total = *in;  // here
    const float* next = in + cols + col;
    for (int row = 1; row < rows; ++row, next += cols) total += *next;
    out[col] = total;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64)}, .block = {64}};
}
