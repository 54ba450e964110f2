// expect: tile-repeated
// mistake: The load counts from the first tile in every block, and the store from the block's own.
// says: does not depend on blockIdx
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float values[TILE_DIM / BLOCK_ROWS];
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (threadIdx.y + k < rows && threadIdx.x < cols) {
            values[k / BLOCK_ROWS] = in[(threadIdx.y + k) * cols + threadIdx.x];  // here
        }
    }

    // All loads are in flight before the first store needs its value.
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            out[(row + k) * cols + col] = values[k / BLOCK_ROWS];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
