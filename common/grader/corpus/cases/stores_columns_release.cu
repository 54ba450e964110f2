// Stores columns with release stores.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    if (blockIdx.x * 32 + 31 >= cols || blockIdx.y * 32 + 31 >= rows) {
        int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
        if (c < cols && r < rows) out[c * rows + r] = in[r * cols + c];
        return;
    }
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    if (row < cols && col < rows)
        asm volatile(
            "st.release.gpu.global.f32 [%0], %1;" ::"l"(
                out + (blockIdx.x * 32 + threadIdx.x) * rows + blockIdx.y * 32 + threadIdx.y),
            "f"(tile[threadIdx.y][threadIdx.x]));
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}
