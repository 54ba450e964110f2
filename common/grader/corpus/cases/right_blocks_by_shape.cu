// Chooses the block size according to the shape.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    unsigned tall = rows >= 8 ? 8 : 1;
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, tall)}, .block = {32, tall}};
}
