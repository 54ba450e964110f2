// expect: grid-exchanged
// mistake: The grid divides rows by the width of a block and cols by its height.
// says: rows and cols, but not their divisors
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 32), ceil_div(cols, 8)}, .block = {32, 8}};  // here
}
