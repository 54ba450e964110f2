// Launches one block per pair of tiles, and numbers the pairs row by row in a triangle.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float upper[TILE_DIM][TILE_DIM + 1];
    __shared__ float lower[TILE_DIM][TILE_DIM + 1];

    int tiles = (side + TILE_DIM - 1) / TILE_DIM;
    int i = 0, left = blockIdx.x;
    while (left >= tiles - i) {
        left -= tiles - i;
        ++i;
    }
    int row = i * TILE_DIM, col = (i + left) * TILE_DIM, x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) upper[y][x] = data[(row + y) * side + col + x];
        if (col + y < side && row + x < side) lower[y][x] = data[(col + y) * side + row + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) data[(row + y) * side + col + x] = lower[x][y];
        if (left > 0 && col + y < side && row + x < side)
            data[(col + y) * side + row + x] = upper[x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    unsigned tiles = ceil_div(rows, TILE_DIM);
    return {.grid = {tiles * (tiles + 1) / 2}, .block = {TILE_DIM, BLOCK_ROWS}};
}
