// expect: out-of-bounds
// mistake: The indices are computed in bytes, in variables.
// says: a number of bytes as a factor
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols) {
        int source = (row * cols + col) * sizeof(float);
        int target = (col * rows + row) * sizeof(float);  // here
        out[target] = in[source];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
