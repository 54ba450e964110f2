// Moves two pointers down the tile.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (col >= cols) return;

    float values[TILE_DIM / BLOCK_ROWS];
    float* value = values;
    const float* from = in + row * cols + col;
    for (int r = row; r < rows && value < values + 4; r += BLOCK_ROWS) {
        *value++ = *from;
        from += BLOCK_ROWS * cols;
    }
    value = values;
    float* to = out + row * cols + col;
    for (int r = row; r < rows && value < values + 4; r += BLOCK_ROWS) {
        *to = *value++;
        to += BLOCK_ROWS * cols;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
