// Reads its input with shared-memory loads.
__device__ float load(const float* from) {
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "l"(from));
    return value;
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = load(&in[row * cols + col]);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
