// expect: scrambled-in-tile
// mistake: One variable holds the elements of all loads, so each load overwrites the element before it.
// says: holds a single element
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float value = 0.0f;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            value = in[(row + k) * cols + col];  // here
        }
    }

    // All loads are in flight before the first store needs its value.
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            out[(row + k) * cols + col] = value;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
