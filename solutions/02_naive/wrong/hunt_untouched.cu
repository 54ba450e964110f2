// of: the bug hunt
// expect: grid-exchanged
// mistake: The kernel uses x for rows, but configure computes the grid's x dimension from `cols`.
// says: in the kernel, blockIdx.x counts rows, 32 per block
// says: compute the grid's first size from rows
// never: enough threads
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};  // here
}
