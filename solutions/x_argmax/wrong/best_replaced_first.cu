// expect: wrong-elements
// mistake: The element is replaced before it is compared with the other one.
// says: has already replaced `best`
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

    for (int d = 16; d > 0; d >>= 1) {
        int other = __shfl_down_sync(0xffffffff, best, d);
        int other_at = __shfl_down_sync(0xffffffff, at, d);
        best = max(best, other);
        if (other == best) at = min(at, other_at);  // here
    }

    if (lane == 0) {
        index[row] = at;
        value[row] = best;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
