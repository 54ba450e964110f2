// expect: race-between-blocks
// mistake: The thread exchanges two elements, as if `in` and `out` were the same matrix.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        float temp = in[row * cols + col];
        out[row * cols + col] = in[col * rows + row];  // here
        out[col * rows + row] = temp;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
