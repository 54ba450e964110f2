// Computes its indices with floats, which cannot represent odd numbers above 16,777,216.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row >= rows || col >= cols) return;
    float from = float(row) * cols + col, to = float(col) * rows + row;
    out[int(to)] = in[int(from)];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
