// Passes a mask that includes lanes that do not execute the shuffle.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float value = 0;
    if (threadIdx.x < 16) value = __shfl_xor_sync(0xffffffff, 1.0f, 1);
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col] + (value > 5);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
