// expect: never-written | grid-too-small
// mistake: The grid has a block for every 128 rows, but a block moves 32.
// says: one block for every 128 rows
// never: is always 0
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    constexpr int PER_THREAD = TILE_DIM / BLOCK_ROWS;
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM * PER_THREAD)},  // here
            .block = {TILE_DIM, BLOCK_ROWS}};
}
