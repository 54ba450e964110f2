// expect: wrong-origin | race-between-blocks | part-of-each-tile | never-written | grid-too-small
// mistake: The kernel uses gridDim where blockDim belongs.
// never: loop
// never: grid is too small
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * gridDim.x + threadIdx.x;  // here
    int row = blockIdx.y * gridDim.y + threadIdx.y;  // here

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
