// The first thread gives the other threads a pointer to its own local variable.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ int* shared_shift;
    int shift[2] = {rows - rows, cols};
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        shared_shift = shift;
    }
    __syncthreads();
    int col = blockIdx.x * blockDim.x + threadIdx.x + shared_shift[0];  // here
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
