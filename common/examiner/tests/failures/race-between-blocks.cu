// Two threads also store to out[0], so the result depends on the order of their stores.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        if (row == 0 && col < 2) {
            out[0] = in[col];  // here
        }
        out[col * rows + row] = in[row * cols + col];  // here
        if (row == 0 && col == 0) {
            out[0] = in[0];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
