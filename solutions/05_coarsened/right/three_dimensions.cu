// Uses 32 x 2 x 4 threads. Threads that have nothing to store return early.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const int ty = threadIdx.z * blockDim.y + threadIdx.y;
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    for (int k = ty; k < TILE_DIM; k += BLOCK_ROWS) {
        const int row = blockIdx.y * TILE_DIM + k;
        if (row >= rows) break;
        if (col < cols) tile[k][threadIdx.x] = in[row * cols + col];
    }
    __syncthreads();
    int row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row >= rows) return;
    for (int k = ty; k < TILE_DIM; k += BLOCK_ROWS) {
        col = blockIdx.x * TILE_DIM + k;
        if (col >= cols) break;
        out[col * rows + row] = tile[threadIdx.x][k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)}, .block = {32, 2, 4}};
}
