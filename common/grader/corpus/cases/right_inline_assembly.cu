// Loads and stores in inline assembly.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        float value;
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(in + row * cols + col));
        asm volatile("st.global.f32 [%0], %1;" ::"l"(out + col * rows + row), "f"(value) : "memory");
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
