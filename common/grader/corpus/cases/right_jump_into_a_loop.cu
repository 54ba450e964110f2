// Unrolls a loop by jumping into it.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    int k = threadIdx.y, n = 0;
    const bool is_inside = left + int(threadIdx.x) < cols;
    switch (n) {
        case 0: do { if (is_inside && top + k < rows) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x]; k += 8;
        case 1:      if (is_inside && top + k < rows) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x]; k += 8; } while (++n < 2);
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
