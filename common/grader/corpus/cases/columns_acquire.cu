// Reads columns with acquire loads.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.y * 32 + threadIdx.x, col = blockIdx.x * 8 + threadIdx.y;
    if (row < rows && col < cols) {
        float v;
        asm volatile("ld.acquire.gpu.global.f32 %0, [%1];" : "=f"(v) : "l"(in + row * cols + col));
        out[col * rows + row] = v;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 8), ceil_div(rows, 32)}, .block = {32, 8}};
}
