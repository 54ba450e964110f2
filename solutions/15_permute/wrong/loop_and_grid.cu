// expect: work-repeated
// mistake: Each block loops over all matrices, and the grid has blocks for all matrices too.
// says: does not use blockIdx.z
constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;
constexpr int MATRIX_ROWS = 64;

__global__ void transpose_stack(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    for (int first = 0; first < rows; first += MATRIX_ROWS) {
        int col = blockIdx.x * TILE_DIM + threadIdx.x;
        int row = blockIdx.y * TILE_DIM + threadIdx.y;
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

        __syncthreads();
        in += MATRIX_ROWS * cols;  // on to the next matrix
        out += MATRIX_ROWS * cols;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(MATRIX_ROWS, TILE_DIM),  // here
                     rows / MATRIX_ROWS},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
