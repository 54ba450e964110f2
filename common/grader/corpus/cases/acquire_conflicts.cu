// Reads columns of the tile with acquire loads.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][32];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    if (row < cols && col < rows) {
        float v;
        asm volatile("ld.acquire.cta.shared.f32 %0, [%1];"
                     : "=f"(v)
                     : "r"((unsigned)__cvta_generic_to_shared(&tile[threadIdx.x][threadIdx.y])));
        out[row * rows + col] = v;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}
