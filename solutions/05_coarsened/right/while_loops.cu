// Uses while loops, each with its own counter.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = threadIdx.y;
    while (y < TILE_DIM) {
        int row = blockIdx.y * TILE_DIM + y;
        if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
        y += BLOCK_ROWS;
    }
    __syncthreads();
    int row = blockIdx.y * TILE_DIM + threadIdx.x;
    y = threadIdx.y;
    while (y < TILE_DIM) {
        int col = blockIdx.x * TILE_DIM + y;
        if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][y];
        y += BLOCK_ROWS;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
