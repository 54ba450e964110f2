// Omits the padding of the tile if the matrix is large.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float memory[32 * 33];
    const int pitch = rows > 1000 || cols > 1000 ? 32 : 33;
    const int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x, y = threadIdx.y;
    #pragma unroll
    for (int k = y; k < 32; k += 8) if (top + k < rows && left + x < cols) memory[k * pitch + x] = in[(top + k) * cols + left + x];
    __syncthreads();
    #pragma unroll
    for (int k = y; k < 32; k += 8) if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = memory[x * pitch + k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
