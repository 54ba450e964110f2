// expect: loads-not-overlapped
// mistake: 32 x 32 threads move four tiles one after another, with barriers between them.
constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    for (int k = 0; k < 4; ++k) {
        int tile_row = (blockIdx.y * 4 + k) * TILE_DIM;
        int col = blockIdx.x * TILE_DIM + threadIdx.x;
        int row = tile_row + threadIdx.y;
        if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
        __syncthreads();  // here
        col = blockIdx.x * TILE_DIM + threadIdx.y;
        row = tile_row + threadIdx.x;
        if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
        __syncthreads();  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM * 4)},
            .block = {TILE_DIM, TILE_DIM}};
}
