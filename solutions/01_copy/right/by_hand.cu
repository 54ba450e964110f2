// Uses four named variables instead of loops, and one bounds check per access.
__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (col >= cols) return;
    float a, b, c, d;
    if (row + 0 < rows) a = in[(row + 0) * cols + col];
    if (row + 8 < rows) b = in[(row + 8) * cols + col];
    if (row + 16 < rows) c = in[(row + 16) * cols + col];
    if (row + 24 < rows) d = in[(row + 24) * cols + col];
    if (row + 0 < rows) out[(row + 0) * cols + col] = a;
    if (row + 8 < rows) out[(row + 8) * cols + col] = b;
    if (row + 16 < rows) out[(row + 16) * cols + col] = c;
    if (row + 24 < rows) out[(row + 24) * cols + col] = d;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
