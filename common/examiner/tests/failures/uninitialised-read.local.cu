// One element of a thread's own array has never been written.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int shift[8];
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    for (int k = 0; k < 7; ++k) shift[(k + rows) & 7] = 0;
    if (row < rows && col < cols) {
        int shifted = col + shift[(col + row) & 7];  // here
        out[shifted * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
