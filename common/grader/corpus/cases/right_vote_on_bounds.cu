// Uses a warp vote to test whether the whole tile is inside the matrix.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    const bool is_whole = __all_sync(0xffffffffu, left + int(threadIdx.x) < cols) && top + 32 <= rows;
    if (is_whole) { for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x]; }
    else for (int k = threadIdx.y; k < 32; k += 8) if (top + k < rows && left + int(threadIdx.x) < cols) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
