// expect: grid-exchanged
// mistake: The row comes from the indices along x, and the column from those along y.
// says: take the column from blockIdx.x
// never: in configure, compute
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;  // here
    int col = blockIdx.y * blockDim.y + threadIdx.y;  // here

    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
