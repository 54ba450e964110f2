// expect: multiprocessors-idle
// mistake: A single block loops over the whole matrix.
// never: float2
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    for (int row = threadIdx.y; row < rows; row += blockDim.y)
        for (int col = threadIdx.x; col < cols; col += blockDim.x)
            out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {1}, .block = {32, 8}};  // here
}
