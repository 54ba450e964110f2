// Uses a thread's rank among the active threads of its warp.
#include <cooperative_groups.h>
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows && left + int(threadIdx.x) < cols) { auto active = cooperative_groups::coalesced_threads(); tile[k][active.thread_rank()] = in[(top + k) * cols + left + threadIdx.x]; }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
