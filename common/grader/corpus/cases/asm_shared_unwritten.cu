// Reads a shared variable that inline assembly declares, before any thread has written to it.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float v;
    asm volatile("{ .shared .f32 s; ld.shared.f32 %0, [s]; }" : "=f"(v));
    if (v == 3.5f) return;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
