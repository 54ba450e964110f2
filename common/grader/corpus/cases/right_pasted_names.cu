// Assembles the names of its variables with a macro, and tests the compiler in an #if.
#define PASTE(a, b) a##b
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
#if defined(__CUDACC__) || defined(__CUDA__)
    const int PASTE(most_, rows) = rows;
#endif
    if (row < most_rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
