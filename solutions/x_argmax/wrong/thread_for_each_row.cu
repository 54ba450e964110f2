// expect: uncoalesced-loads
// mistake: One thread searches a whole row, so a warp reads from 32 rows at once.
#include "exercise.h"

__global__ void argmax(int* index, int* value, const int* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int at = 0;
    for (int col = 1; col < cols; ++col) {
        if (in[row * cols + col] > in[row * cols + at]) at = col;
    }
    index[row] = at;
    value[row] = in[row * cols + at];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 32)}, .block = {32}};
}
