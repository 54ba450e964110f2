// expect: wrong-block-order
// mistake: The column of the tile is not shifted by its row.
// says: does not depend on `tile_row`
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // Number the tiles down the columns, and shift each row of tiles sideways by its index.
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int tile_row = block % gridDim.y;
    int tile_col = block / gridDim.y;  // here

    int col = tile_col * TILE_DIM + threadIdx.x;
    int row = tile_row * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
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
