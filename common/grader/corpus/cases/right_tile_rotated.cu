// Rotates each row of the tile by a different amount.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32 * 32];
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y * 32 + (threadIdx.x + threadIdx.y) % 32] = in[row * cols + col];
    __syncthreads();
    col = blockIdx.x * 32 + threadIdx.y;
    row = blockIdx.y * 32 + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x * 32 + (threadIdx.y + threadIdx.x) % 32];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}
