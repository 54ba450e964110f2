// Launches 16 x 32 blocks, which walk over the matrix in both directions.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += gridDim.y * blockDim.y)
        for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < cols;
             col += gridDim.x * blockDim.x)
            out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {16, 32}, .block = {32, 8}};
}
