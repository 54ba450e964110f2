// Checks the bounds in the conditions of the loops.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const int row0 = blockIdx.y * TILE_DIM, col0 = blockIdx.x * TILE_DIM;
    const int tall = min(TILE_DIM, rows - row0), wide = min(TILE_DIM, cols - col0);
    const int x = threadIdx.x;
    if (x < wide) {
        for (int y = threadIdx.y; y < tall; y += BLOCK_ROWS) {
            tile[y][x] = in[(row0 + y) * cols + col0 + x];
        }
    }
    __syncthreads();
    if (x >= tall) return;
    for (int y = threadIdx.y; y < wide; y += BLOCK_ROWS) {
        out[(col0 + y) * rows + row0 + x] = tile[x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
