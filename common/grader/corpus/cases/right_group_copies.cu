// Copies each row of a tile with memcpy_async of cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    const int width = min(32, cols - left);
    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows) cooperative_groups::memcpy_async(warp, tile[k], &in[(top + k) * cols + left], width * sizeof(float));
    cooperative_groups::wait(warp);
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
