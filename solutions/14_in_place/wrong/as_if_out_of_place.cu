// expect: race-between-blocks | half-exchanged
// mistake: This is the kernel of lesson 05, which reads and writes the same matrix.
// never: `in`
// never: `out`
// never: out(
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < side && col < side) {
            tile[threadIdx.y + k][threadIdx.x] = data[(row + k) * side + col];  // here
        }
    }
    __syncthreads();
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < side && col + k < side) {
            data[(col + k) * side + row] = tile[threadIdx.x][threadIdx.y + k];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
