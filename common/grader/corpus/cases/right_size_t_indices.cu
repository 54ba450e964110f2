// Uses 64-bit indices.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t from = (size_t)row * cols + col, to = (size_t)col * rows + row;
    if (row < rows && col < cols) out[to] = in[from];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
