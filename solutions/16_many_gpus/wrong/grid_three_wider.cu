// expect: work-repeated
// mistake: The grid is wider than the matrix, and not a multiple of the number of GPUs.
// says: not a multiple of 4, the number of GPUs
// of: the bug hunt
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int GPUS = 4;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int tiles_down = (gridDim.y + GPUS - 1) / GPUS;
    int tiles_across = gridDim.x / GPUS;
    int gpu = blockIdx.y / tiles_down;
    int peer = (blockIdx.x + gpu) % GPUS;
    int tile_row = blockIdx.y;
    int tile_col = peer * tiles_across + blockIdx.x / GPUS;

    int col = tile_col * TILE_DIM + threadIdx.x;
    int row = tile_row * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = tile_col * TILE_DIM + threadIdx.y;
    row = tile_row * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM) + GPUS - 1, ceil_div(rows, TILE_DIM)},  // here
            .block = {TILE_DIM, BLOCK_ROWS}};
}
