// Fails on a hidden shape, at a source line that depends on the shape's number of rows.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    if (row >= rows || col >= cols) return;
    switch (rows) {
        case 5: out[-5] = 1; break;
        case 37: out[-37] = 1; break;
        case 183: out[-183] = 1; break;
        case 1040: out[-1040] = 1; break;
    }
    out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
