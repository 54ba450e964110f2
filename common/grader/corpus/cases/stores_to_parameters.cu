// Tries to change its own arguments through their address in the simulator.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    *(volatile int*)0x7c0000000000 = 1;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
