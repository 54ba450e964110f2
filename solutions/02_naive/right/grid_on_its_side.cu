// Uses blockIdx.x for the rows of blocks, and launches a matching grid.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8), ceil_div(cols, 32)}, .block = {32, 8}};
}
