// expect: block-too-large | block-fixed
// mistake: A block has one thread per column, which works only for up to 1024 columns.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x, col = threadIdx.x;
    out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {rows}, .block = {cols}};  // here
}
