// expect: grid-exchanged | bounds-exchanged
// mistake: The grid's dimensions are swapped: x covers the rows, and y covers the columns.
// never: bounds check
// never: bounds check
// never: grid is too small
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8), ceil_div(cols, 32)}, .block = {32, 8}};  // here
}
