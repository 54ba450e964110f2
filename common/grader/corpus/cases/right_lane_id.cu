// Reads the lane ID with inline assembly that declares a register.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned lane;
    asm("{ .reg .u32 t; mov.u32 t, %laneid; mov.u32 %0, t; }" : "=r"(lane));
    if (row < rows && col < cols && lane < 32) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
