// Stores columns in all blocks after the first 4000. Only large matrices have that many blocks.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x, y = threadIdx.y;
    const unsigned number = blockIdx.y * gridDim.x + blockIdx.x;
    if (number > 4000) { for (int k = y; k < 32; k += 8) if (top + k < rows && left + x < cols) out[(left + x) * rows + top + k] = in[(top + k) * cols + left + x]; return; }
    #pragma unroll
    for (int k = y; k < 32; k += 8) if (top + k < rows && left + x < cols) tile[k][x] = in[(top + k) * cols + left + x];
    __syncthreads();
    #pragma unroll
    for (int k = y; k < 32; k += 8) if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = tile[x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
