// expect: grid-fixed | grid-too-small | bad-launch
// mistake: The grid is hard-coded for a matrix of 1024 x 1024.
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
    return {.grid = {32, 128}, .block = {32, 8}};  // here
}
