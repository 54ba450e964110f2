// Declares the dimensions of the tile with a user-defined literal.
__host__ __device__ constexpr int operator""_rows(unsigned long long n) { return int(n); }
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32_rows][33_rows];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows && left + int(threadIdx.x) < cols) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
