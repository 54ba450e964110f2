// expect: part-of-each-tile
// mistake: The counter goes up by 8, and the index multiplies it by 8 again.
// says: multiplies it once more
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float values[TILE_DIM / BLOCK_ROWS];
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        int r = row + k * BLOCK_ROWS;
        if (r < rows && col < cols) {
            values[k / BLOCK_ROWS] = in[r * cols + col];
        }
    }

    // All loads are in flight before the first store needs its value.
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        int r = row + k * BLOCK_ROWS;
        if (r < rows && col < cols) {
            out[r * cols + col] = values[k / BLOCK_ROWS];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
