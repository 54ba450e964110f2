// expect: wrong-origin | part-of-each-tile
// mistake: blockIdx.y * blockDim.x for the row: blocks lie 32 rows apart and are 8 tall.
// never: loop
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.x + threadIdx.y;  // here

    // Blocks on the right and bottom edge may hang over the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
