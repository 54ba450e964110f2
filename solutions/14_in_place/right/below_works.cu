// Lets the block below the diagonal work instead of the one above.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float mine[TILE_DIM][TILE_DIM + 1], other[TILE_DIM][TILE_DIM + 1];
    if (blockIdx.y < blockIdx.x) return;
    int row = blockIdx.y * TILE_DIM, col = blockIdx.x * TILE_DIM, x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) mine[y][x] = data[(row + y) * side + col + x];
        if (col + y < side && row + x < side) other[y][x] = data[(col + y) * side + row + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) data[(row + y) * side + col + x] = other[x][y];
        if (row == col) continue;
        if (col + y < side && row + x < side) data[(col + y) * side + row + x] = mine[x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
