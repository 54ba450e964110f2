// expect: missing-barrier
// mistake: One loop does both halves, with a barrier after it.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        int col = blockIdx.x * TILE_DIM + threadIdx.x;
        int row = blockIdx.y * TILE_DIM + k;
        if (row < rows && col < cols) tile[k][threadIdx.x] = in[row * cols + col];  // here
        col = blockIdx.x * TILE_DIM + k;
        row = blockIdx.y * TILE_DIM + threadIdx.x;
        if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][k];  // here
    }
    __syncthreads();
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
