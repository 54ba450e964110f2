// Counts arrivals in a cuda::atomic of the block, and polls it until all threads have arrived.
#include <cuda/atomic>
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    __shared__ cuda::atomic<int, cuda::thread_scope_block> arrived;
    if (threadIdx.x + threadIdx.y == 0) arrived.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    const int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows && left + x < cols) tile[k][x] = in[(top + k) * cols + left + x];
    __syncwarp();
    if (x == 0) arrived.fetch_add(1, cuda::memory_order_release);
    while (arrived.load(cuda::memory_order_acquire) < 8) {}
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = tile[x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
