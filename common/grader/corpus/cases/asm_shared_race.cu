// Threads access a shared variable that inline assembly declares, without a barrier in between.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned v;
    asm volatile("{ .shared .u32 s; st.shared.u32 [s], %1; ld.shared.u32 %0, [s]; }"
                 : "=r"(v)
                 : "r"(row));
    if (v > 100000) return;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
