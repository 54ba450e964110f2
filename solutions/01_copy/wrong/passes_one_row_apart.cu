// expect: part-of-each-tile
// mistake: The passes are one row apart, although the block has 8 rows of threads.
// says: the passes repeat each other's rows
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int PER_THREAD = TILE_DIM / BLOCK_ROWS;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float values[PER_THREAD];
    for (int i = 0; i < PER_THREAD; i++) {
        if (row + i < rows && col < cols) values[i] = in[(row + i) * cols + col];
    }

    for (int i = 0; i < PER_THREAD; i++) {  // here
        if (row + i < rows && col < cols) out[(row + i) * cols + col] = values[i];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
