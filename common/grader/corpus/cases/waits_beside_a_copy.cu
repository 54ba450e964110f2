// Copies one of four elements asynchronously, and waits for each of the other three at a barrier.
#include <cuda_pipeline.h>
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int number = blockIdx.y * gridDim.x + blockIdx.x;
    int down = number % gridDim.y, across = (number / gridDim.y + down) % gridDim.x;
    int col = across * 32 + threadIdx.x, row = down * 32 + threadIdx.y;
    if (row < rows && col < cols) __pipeline_memcpy_async(&tile[threadIdx.y][threadIdx.x], &in[row * cols + col], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = 8; k < 32; k += 8) {
        if (row + k < rows && col < cols) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        __syncthreads();
    }
    __syncthreads();
    col = across * 32 + threadIdx.y;
    row = down * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8)
        if (row < rows && col + k < cols) out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
