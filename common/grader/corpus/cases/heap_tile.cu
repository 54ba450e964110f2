// Keeps the tile on the heap instead of in shared memory.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float* tile;
    if (threadIdx.x + threadIdx.y == 0) tile = (float*)malloc(4 * 32 * 33);
    __syncthreads();
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y * 33 + threadIdx.x] = in[row * cols + col];
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.x * 33 + threadIdx.y];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}
