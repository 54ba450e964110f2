// expect: work-repeated
// mistake: Each thread loops over the rows of all blocks below its own.
// says: the grid has 256 threads along y
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;

    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += blockDim.y) {  // here
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
