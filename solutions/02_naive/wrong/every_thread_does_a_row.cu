// expect: work-repeated | race-between-blocks | too-many-requests
// mistake: Each thread loops over the whole row of its element.
// never: does not end
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        for (col = 0; col < cols; ++col) {
            out[col * rows + row] = in[row * cols + col];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
