// expect: uninitialised-shared
// mistake: The extra rows are loaded from below the tile.
// says: `EXTRA` after the row
// never: must not go beyond
#include "exercise.h"  // Launch, ceil_div

constexpr int T = 32, LINES = 8, EXTRA = 7;  // up to 7 floats before the tile

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float buf[T][T + EXTRA];  // buf[c][r]: one line per column of `in`
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int r0 = blockIdx.y * T, c0 = blockIdx.x * T;

    for (int r = warp; r < T + EXTRA; r += LINES) {
        const int from = r0 + r;
        if (from >= 0 && from < rows && c0 + lane < cols) {
            buf[lane][r] = in[from * cols + c0 + lane];
        }
    }
    __syncthreads();

    for (int c = warp; c < T; c += LINES) {
        if (c0 + c >= cols) break;
        const int start = (c0 + c) * rows + r0;  // where this line of the tile belongs in `out`
        const int back = start % 8;
        const int r = r0 + lane - back;
        if (r >= 0 && r < rows) {
            out[start - back + lane] = buf[c][lane + EXTRA - back];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, T), ceil_div(rows + EXTRA, T)}, .block = {T, LINES}};
}
