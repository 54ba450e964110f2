// expect: too-many-requests | lanes-idle | multiprocessors-idle
// mistake: A block has 8 x 1 threads, so three quarters of each warp are unused.
// never: float2
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 8), rows}, .block = {8, 1}};  // here
}
