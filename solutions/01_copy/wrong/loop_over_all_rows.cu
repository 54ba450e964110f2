// expect: elements-left-out
// mistake: Each thread loops over all rows, but has room for the elements of one tile.
// says: only the last element remains
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float values[TILE_DIM / BLOCK_ROWS];
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        for (int r = 0; r < rows; r += 32) {
            values[k / BLOCK_ROWS] = in[(r + threadIdx.y + k) * cols + col];  // here
        }
    }

    // All loads are in flight before the first store needs its value.
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        for (int r = 0; r < rows; r += 32) {
            out[(r + threadIdx.y + k) * cols + col] = values[k / BLOCK_ROWS];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
