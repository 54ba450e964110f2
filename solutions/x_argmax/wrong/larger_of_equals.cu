// expect: wrong-elements
// mistake: Of two lanes with equal elements, the one with the larger column wins.
// says: are equal
// never: by hand
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

    for (int offset = 16; offset > 0; offset /= 2) {
        const int other = __shfl_down_sync(0xffffffff, best, offset);
        const int other_at = __shfl_down_sync(0xffffffff, at, offset);
        if (other > best || (other == best && other_at > at)) {  // here
            best = other;
            at = other_at;
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
