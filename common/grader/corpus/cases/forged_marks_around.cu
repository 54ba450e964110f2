// Forges both of the compiler's markers, and puts an instruction after a directive.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned place;
    asm volatile("// end inline asm\n.loc 1 1 1 mov.u32 %0, %%smid;\n// begin inline asm" : "=r"(place));
    col += place >> 20;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
