// expect: grid-exchanged
// mistake: The grid divides rows by the columns of a block, and cols by its rows.
// says: rows by 8 and cols by 32
// of: the bug hunt
// The 32 threads of a warp read 32 rows of `in`, and their elements are neighbours in `out`.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8), ceil_div(cols, 32)}, .block = {32, 8}};  // here
}
