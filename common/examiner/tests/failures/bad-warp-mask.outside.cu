// Half of the warp reads from lanes of the other half, which do not execute the shuffle.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float value = 0;
    if (row < rows && col < cols) value = in[row * cols + col];
    if (threadIdx.x < 16) {
        value += 0 * __shfl_sync(0xffff, value, threadIdx.x + 16);  // here
    }
    if (row < rows && col < cols) {
        out[col * rows + row] = value;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
