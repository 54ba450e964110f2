// Handles four elements per thread, which are 8 rows apart.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    if (col >= cols) return;
    for (int k = 0; k < 32; k += 8) {
        int row = blockIdx.y * 32 + threadIdx.y + k;
        if (row >= rows) break;
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
