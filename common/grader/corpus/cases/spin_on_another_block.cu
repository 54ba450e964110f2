// Waits for a value that is never stored.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    volatile float* flag = out;
    if (blockIdx.x + blockIdx.y == 0)
        while (flag[rows * cols - 1] == flag[rows * cols - 1] && flag[0] != 0.5f) {
        }
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
