// Moves four consecutive rows per thread.
constexpr int TILE_DIM = 32, EACH = 4;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    for (int i = 0; i < EACH; i++) {
        int y = threadIdx.y * EACH + i;
        int row = blockIdx.y * TILE_DIM + y;
        if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
    }
    __syncthreads();
    int row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int i = 0; i < EACH; i++) {
        int y = threadIdx.y * EACH + i;
        int col = blockIdx.x * TILE_DIM + y;
        if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM / EACH}};
}
