// Initializes the members of Launch in a different order from their declaration.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.block = {32, 8}, .grid = {ceil_div(cols, 32), ceil_div(rows, 8)}};
}
