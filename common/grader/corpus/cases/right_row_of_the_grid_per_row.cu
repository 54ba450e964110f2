// Launches a row of blocks for each matrix row, although a grid has at most 65,535 rows of blocks.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 128 + threadIdx.x, row = blockIdx.y;
    if (col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 128), rows}, .block = {128}};
}
