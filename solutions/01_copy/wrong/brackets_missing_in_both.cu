// expect: wrong-pitch
// mistake: Parentheses are missing in both indices, so only k is multiplied by the row length.
// says: parentheses are missing
// never: which tile
// says: (... + k) * cols
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float values[TILE_DIM / BLOCK_ROWS];
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        // Tiles on the right and bottom edges may extend beyond the matrix.
        if (row + k < rows && col < cols) {
            values[k / BLOCK_ROWS] = in[row + k * cols + col];  // here
        }
    }

    // All loads are in flight before the first store needs its value.
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            out[row + k * cols + col] = values[k / BLOCK_ROWS];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
