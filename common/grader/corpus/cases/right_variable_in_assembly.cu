// Declares variables in inline assembly.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float value = row < rows && col < cols ? in[row * cols + col] : 0.0f;
    asm volatile(
        "{ .reg .f32 moved; .local .f32 kept;\n\t"
        "st.local.f32 [kept], %0; ld.local.f32 moved, [kept]; mov.f32 %0, moved; }"
        : "+f"(value));
    if (row < rows && col < cols) out[col * rows + row] = value;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
