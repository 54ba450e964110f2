// Uses one thread per element of a flat array, and computes row and column with / and %.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    int row = i / cols;
    int col = i % cols;
    out[col * rows + row] = in[i];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows * cols, 256)}, .block = {256}};
}
