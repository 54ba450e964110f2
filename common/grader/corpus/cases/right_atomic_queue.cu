// Lets the threads of a block fetch their rows from an atomic counter of libcu++.
#include <cuda/atomic>
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    using Counter = cuda::atomic<int, cuda::thread_scope_block>;
    __shared__ Counter next;
    if (threadIdx.x == 0 && threadIdx.y == 0) next.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    int drawn = 0;
    if (threadIdx.x == 0) drawn = next.fetch_add(1, cuda::memory_order_relaxed);
    const int row = blockIdx.y * blockDim.y + __shfl_sync(0xffffffff, drawn, 0);
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
