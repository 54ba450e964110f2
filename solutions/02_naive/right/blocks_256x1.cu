// Uses blocks of 256 x 1 threads, and blockIdx.y as the row.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.y;
    int col = blockIdx.x * 256 + threadIdx.x;
    if (col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 256), unsigned(rows)}, .block = {256, 1}};
}
