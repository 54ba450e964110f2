// Initializes an mbarrier, invalidates it, and then makes all threads arrive at it.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __shared__ unsigned long long made;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&made));
    if (threadIdx.x + threadIdx.y == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1024;" ::"r"(at) : "memory");
    __syncthreads();
    if (threadIdx.x + threadIdx.y == 0)
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
    col = blockIdx.x * 32 + threadIdx.y;
    row = blockIdx.y * 32 + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}
