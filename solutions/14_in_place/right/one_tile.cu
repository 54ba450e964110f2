// Keeps one tile in shared memory, and the other one in registers.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8, EACH = TILE_DIM / BLOCK_ROWS;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    if (blockIdx.y > blockIdx.x) return;
    int row = blockIdx.y * TILE_DIM, col = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;
    float turned[EACH];
    // The lower tile goes through shared memory first, and then the upper one does.
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (col + y < side && row + x < side) tile[y][x] = data[(col + y) * side + row + x];
    __syncthreads();
    for (int i = 0; i < EACH; ++i) {
        int y = threadIdx.y + i * BLOCK_ROWS;
        if (row + y < side && col + x < side) turned[i] = tile[x][y];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (row + y < side && col + x < side) tile[y][x] = data[(row + y) * side + col + x];
    __syncthreads();
    for (int i = 0; i < EACH; ++i) {
        int y = threadIdx.y + i * BLOCK_ROWS;
        if (row + y < side && col + x < side) data[(row + y) * side + col + x] = turned[i];
        if (row != col && col + y < side && row + x < side)
            data[(col + y) * side + row + x] = tile[x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
