// expect: grid-exchanged
// of: the bug hunt
// mistake: The two sizes of the grid are swapped, with their divisors.
// says: Swap the two sizes
// never: Use blockIdx.x for the column
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 8), ceil_div(rows, 32)}, .block = {32, 8}};  // here
}
