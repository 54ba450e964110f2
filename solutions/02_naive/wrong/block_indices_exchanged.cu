// expect: block-indices-exchanged | grid-too-small | part-of-each-tile | grid-exchanged
// mistake: The kernel uses blockIdx.x for rows and blockIdx.y for columns; configure does not.
// never: bounds check
// never: grid is too small
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.y * blockDim.x + threadIdx.x;  // here
    int row = blockIdx.x * blockDim.y + threadIdx.y;  // here

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
