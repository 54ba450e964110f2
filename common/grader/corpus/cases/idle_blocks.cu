// Launches 40 blocks per tile, but only one of them does any work.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    if (blockIdx.z > 0) return;
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (row + k < rows && col < cols) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
    __syncthreads();
    col = blockIdx.x * 32 + threadIdx.y;
    row = blockIdx.y * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8)
        if (row < rows && col + k < cols) out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32), 40}, .block = {32, 8}};
}
