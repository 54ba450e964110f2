// expect: loads-not-overlapped
// mistake: The load loop is unrolled by hand, with a barrier after each load.
// says: wait
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row + 0 < rows && col < cols) {
        tile[threadIdx.y + 0][threadIdx.x] = in[(row + 0) * cols + col];
    }
    __syncthreads();
    if (row + BLOCK_ROWS < rows && col < cols) {
        tile[threadIdx.y + BLOCK_ROWS][threadIdx.x] = in[(row + BLOCK_ROWS) * cols + col];
    }
    __syncthreads();
    if (row + 2 * BLOCK_ROWS < rows && col < cols) {
        tile[threadIdx.y + 2 * BLOCK_ROWS][threadIdx.x] = in[(row + 2 * BLOCK_ROWS) * cols + col];
    }
    __syncthreads();
    if (row + 3 * BLOCK_ROWS < rows && col < cols) {
        tile[threadIdx.y + 3 * BLOCK_ROWS][threadIdx.x] = in[(row + 3 * BLOCK_ROWS) * cols + col];
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
