// The tile is larger than the smallest matrix in the trials.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 128 + threadIdx.x;
    int row = blockIdx.y * 128 + threadIdx.y;
    for (int k = 0; k < 128; k += 8) {
        out[col * rows + row + k] = in[(row + k) * cols + col];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 128), ceil_div(rows, 128)}, .block = {128, 8}};
}
