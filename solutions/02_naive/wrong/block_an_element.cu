// expect: bad-launch | blocks-idle
// mistake: The grid has one block of 256 threads per element, so nearly all threads are idle.
// never: e+0
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {cols, rows}, .block = {32, 8}};  // here
}
