// Waits for each load at an mbarrier.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int block = blockIdx.y * gridDim.x + blockIdx.x, tile_row = block % gridDim.y, tile_col = (block / gridDim.y + tile_row) % gridDim.x;
    const int left = tile_col * 32, top = tile_row * 32, x = threadIdx.x, y = threadIdx.y;
    __shared__ unsigned long long bar;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x + threadIdx.y == 0) asm volatile("mbarrier.init.shared.b64 [%0], 256;" :: "r"(at) : "memory");
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 32; k += 8) {
        if (top + k + y < rows && left + x < cols) tile[k + y][x] = in[(top + k + y) * cols + left + x];
        { unsigned over = 0; asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at) : "memory");
          while (!over) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(at), "r"(k / 8 % 2) : "memory"); }
    }
    __syncthreads();
    #pragma unroll
    for (int k = y; k < 32; k += 8) if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = tile[x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
