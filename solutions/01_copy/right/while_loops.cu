// Uses while loops and do loops, and computes the end of the rows beforehand.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int first = blockIdx.y * TILE_DIM + threadIdx.y;
    int end = min(int(blockIdx.y + 1) * TILE_DIM, rows);
    if (!(col < cols) || !(first < end)) {
        return;
    }
    float values[TILE_DIM / BLOCK_ROWS];
    int row = first;
    int n = 0;
    do {
        values[n++] = in[row * cols + col];
        row += BLOCK_ROWS;
    } while (row < end);
    row = first, n = 0;
    while (row < end) {
        out[row * cols + col] = values[n++];
        row += BLOCK_ROWS;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
