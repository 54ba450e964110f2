// The closing brace of the kernel is missing.
__global__ void transpose(float* out, const float* in, int rows, int cols) {  // here
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    out[col * rows + row] = in[row * cols + col];

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
