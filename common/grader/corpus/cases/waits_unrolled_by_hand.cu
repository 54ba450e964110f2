// Waits for each of four loads at a barrier, without a loop.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int number = blockIdx.y * gridDim.x + blockIdx.x;
    int down = number % gridDim.y, across = (number / gridDim.y + down) % gridDim.x;
    int col = across * 32 + threadIdx.x, row = down * 32 + threadIdx.y;
    if (row + 0 < rows && col < cols) tile[threadIdx.y + 0][threadIdx.x] = in[(row + 0) * cols + col];
    __syncthreads();
    if (row + 8 < rows && col < cols) tile[threadIdx.y + 8][threadIdx.x] = in[(row + 8) * cols + col];
    __syncthreads();
    if (row + 16 < rows && col < cols) tile[threadIdx.y + 16][threadIdx.x] = in[(row + 16) * cols + col];
    __syncthreads();
    if (row + 24 < rows && col < cols) tile[threadIdx.y + 24][threadIdx.x] = in[(row + 24) * cols + col];
    __syncthreads();
    __syncthreads();
    col = across * 32 + threadIdx.y;
    row = down * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8)
        if (row < rows && col + k < cols) out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
