// expect: outside-local-array
// mistake: The local array is indexed by lane, as if all lanes shared one array.
// says: outside of the thread's array `values`, which has 4 elements
// never: of `out`
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float values[4];
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            values[(threadIdx.x + k) % 32] = in[(row + k) * cols + col];  // here
        }
    }
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            out[(row + k) * cols + col] = values[(threadIdx.x + k) % 32];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
