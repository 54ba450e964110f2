// Waits at a barrier for more threads than the block has.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    asm volatile("bar.sync 1, %0;" ::"r"(0x7fffffe0 + 0 * rows) : "memory");
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
