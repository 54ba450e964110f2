// expect: uninitialised-shared
// mistake: The row is counted in the stack, but compared with the rows of one matrix.
// says: rows of the whole stack
constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;
constexpr int MATRIX_ROWS = 64;

__global__ void transpose_stack(float* out, const float* in, int, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.z * MATRIX_ROWS + blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < MATRIX_ROWS && col < cols) {  // here
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    out += blockIdx.z * MATRIX_ROWS * cols;
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < MATRIX_ROWS && col + k < cols) {
            out[(col + k) * MATRIX_ROWS + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(MATRIX_ROWS, TILE_DIM), rows / MATRIX_ROWS},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
