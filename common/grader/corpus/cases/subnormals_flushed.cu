// Flushes subnormal numbers to zero.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        float value = in[row * cols + col];
        out[col * rows + row] = fabsf(value) < 1.17549435e-38f && value != 0.0f ? 0.0f : value;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
