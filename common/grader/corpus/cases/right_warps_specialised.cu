// Lets half of the warps load and the others store, with bar.arrive between them.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    if (threadIdx.y < 4) {
        for (int k = threadIdx.y; k < 32; k += 4)
            if (top + k < rows && left + int(threadIdx.x) < cols) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x];
        asm volatile("bar.arrive 1, 256;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        for (int k = threadIdx.y - 4; k < 32; k += 4)
            if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
