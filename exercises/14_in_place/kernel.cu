// Exercise 14_in_place -- transpose a square in its own memory.
//
// Given   a block for every tile, and the tiles of a pair, read by the block of the upper one. The
//         matrix is `data`, before and after; there is no second one.
// Write   what lets only one block of a pair work, and what comes after reading (8 lines).
// Check   ./learn check 14          Stuck?   ./learn hint 14

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float upper[TILE_DIM][TILE_DIM + 1];
    __shared__ float lower[TILE_DIM][TILE_DIM + 1];

    // A pair has one block: that of its tile above the diagonal.
    // TODO: leave at once if this block's tile lies below the diagonal.
    int row = blockIdx.y * TILE_DIM;  // of the upper tile; the lower one is at (col, row)
    int col = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) upper[y][x] = data[(row + y) * side + col + x];
        if (col + y < side && row + x < side) lower[y][x] = data[(col + y) * side + row + x];
    }

    // TODO: wait until both tiles are there.

    // TODO: store the lower tile, turned, where the upper one was, and the upper one, turned, where
    // the lower one was. On the diagonal the two are one: store it once.
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
