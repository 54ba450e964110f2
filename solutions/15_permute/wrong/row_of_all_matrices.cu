// expect: batches-missed
// mistake: The row counts through all matrices, and the pointers move on too.
// says: selects it a second time
constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;
constexpr int MATRIX_ROWS = 64;

__global__ void transpose_stack(float* out, const float* in, int, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int matrix = blockIdx.y / 2;
    in += matrix * MATRIX_ROWS * cols;
    out += matrix * MATRIX_ROWS * cols;

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;  // here
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < MATRIX_ROWS && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < MATRIX_ROWS && col + k < cols) {
            out[(col + k) * MATRIX_ROWS + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
