// expect: out-of-bounds
// mistake: The number of threads along y is used as the length of a row of `out`.
// says: which is 80 here
// says: Multiply `col` by rows
// never: bounds check
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int height = gridDim.y * blockDim.y;

    if (row < rows && col < cols) {
        out[col * height + row] = in[row * cols + col];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
