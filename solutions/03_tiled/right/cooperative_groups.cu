// Uses the barrier of a cooperative group.
#include <cooperative_groups.h>

constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];
    auto block = cooperative_groups::this_thread_block();
    dim3 at = block.thread_index(), of = block.group_index();
    int col = of.x * TILE_DIM + at.x;
    int row = of.y * TILE_DIM + at.y;
    if (row < rows && col < cols) {
        tile[at.y][at.x] = in[row * cols + col];
    }
    block.sync();
    col = of.x * TILE_DIM + at.y;
    row = of.y * TILE_DIM + at.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[at.x][at.y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
