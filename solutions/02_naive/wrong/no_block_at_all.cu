// expect: grid-too-small | race-between-blocks | work-repeated | tiles-overlap
// mistake: The index does not depend on the block, but only on threadIdx.
// never: grid is too small
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = threadIdx.x;  // here
    int row = threadIdx.y;  // here

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
