// expect: wrong-elements
// mistake: The larger value is kept before the comparison that decides about the column.
// says: Compare first
#include "exercise.h"

__global__ void argmax(int* index, int* value, const int* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    int best = -2147483647 - 1, at = cols;
    for (int col = lane; col < cols; col += 32) {
        const int one = in[row * cols + col];
        if (one > best) {
            best = one;
            at = col;
        }
    }
    for (int by = 16; by > 0; by /= 2) {
        const int theirs = __shfl_down_sync(0xffffffff, best, by);
        const int where = __shfl_down_sync(0xffffffff, at, by);
        best = max(theirs, best);
        if (best < theirs || (best == theirs && where < at)) {  // here
            at = where;
        }
    }
    if (lane == 0) {
        index[row] = at;
        value[row] = best;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
