// expect: line-repeated
// mistake: The index of the store lacks the term for the row.
// says: first column of out: the index has no term for the position
// never: mirror
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows] = in[row * cols + col];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
