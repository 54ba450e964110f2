// expect: does-not-compile
// mistake: The array is declared in the first loop and used in the second.
// says: in a block that ends on line
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        float values[TILE_DIM / BLOCK_ROWS];
        if (row + k < rows && col < cols) {
            values[k / BLOCK_ROWS] = in[(row + k) * cols + col];
        }
    }

    // All loads are in flight before the first store needs its value.
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            out[(row + k) * cols + col] = values[k / BLOCK_ROWS];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
