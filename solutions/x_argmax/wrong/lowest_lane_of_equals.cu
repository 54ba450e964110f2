// expect: wrong-elements
// mistake: The column of the lowest lane is taken, which is not always the smallest column.
// says: lowest lane
// never: term
#include "exercise.h"

__global__ void argmax(int* index, int* value, const int* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    int best = -2147483647 - 1, at = cols;
    for (int col = lane; col < cols; col += 32) {
        if (in[row * cols + col] > best) {
            best = in[row * cols + col];
            at = col;
        }
    }

    int most = best;
    for (int offset = 16; offset > 0; offset /= 2) {
        most = max(most, __shfl_xor_sync(0xffffffff, most, offset));
    }
    const unsigned winners = __ballot_sync(0xffffffff, best == most);
    at = __shfl_sync(0xffffffff, at, __ffs(winners) - 1);  // here
    best = most;

    if (lane == 0) {
        index[row] = at;
        value[row] = best;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
