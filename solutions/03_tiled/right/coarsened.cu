// Uses 32 x 8 threads and loops, as lesson 05 will.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][32];
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        int row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + threadIdx.x;
        if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        int row = blockIdx.y * 32 + threadIdx.x, col = blockIdx.x * 32 + y;
        if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
