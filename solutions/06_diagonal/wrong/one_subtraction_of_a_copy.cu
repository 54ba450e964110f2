// expect: tiles-missed | never-written
// mistake: One subtraction of the number of columns is not enough.
// says: one subtraction is not enough
// never: Work out
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int tiles_x = gridDim.x;
    int tiles_y = gridDim.y;
    int n = blockIdx.y * tiles_x + blockIdx.x;

    int tile_row = n % tiles_y;
    int tile_col = n / tiles_y + tile_row;
    if (tile_col >= tiles_x) tile_col -= tiles_x;  // here

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
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
