// expect: part-of-each-tile | never-written
// mistake: The counter of both loops is added to the row without the factor BLOCK_ROWS.
// says: multiply `i` by 8
// never: advance by 8
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int N = TILE_DIM / BLOCK_ROWS;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float values[N];
    for (int i = 0; i < N; i++) {
        if (row + i < rows && col < cols) values[i] = in[(row + i) * cols + col];
    }
    for (int i = 0; i < N; i++) {  // here
        if (row + i < rows && col < cols) out[(row + i) * cols + col] = values[i];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
