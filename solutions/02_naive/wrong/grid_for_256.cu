// expect: grid-fixed | grid-too-small
// mistake: The grid is hard-coded for 256 x 256, the shape whose counters are checked.
// never: bounds check
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {8, 32}, .block = {32, 8}};  // here
}
