// Uses no third dimension, and derives the matrix from the row of tiles.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;
constexpr int MATRIX_ROWS = 64, TILES_DOWN = MATRIX_ROWS / TILE_DIM;

__global__ void transpose_stack(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int matrix = blockIdx.y / TILES_DOWN, tile_row = blockIdx.y % TILES_DOWN * TILE_DIM;
    const float* from = in + matrix * MATRIX_ROWS * cols;
    float* to = out + matrix * MATRIX_ROWS * cols;
    int left = blockIdx.x * TILE_DIM, x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (left + x < cols) tile[y][x] = from[(tile_row + y) * cols + left + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (left + y < cols) to[(left + y) * MATRIX_ROWS + tile_row + x] = tile[x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
