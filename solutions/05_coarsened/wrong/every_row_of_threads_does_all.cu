// expect: work-repeated | too-many-requests | missing-barrier
// mistake: The loops begin at 0 for every row of threads, so each row handles the whole tile.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM;
    for (int k = 0; k < TILE_DIM; k++) {
        if (row + k < rows && col < cols) {
            tile[k][threadIdx.x] = in[(row + k) * cols + col];  // here
        }
    }
    __syncthreads();
    col = blockIdx.x * TILE_DIM;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k++) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][k];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
