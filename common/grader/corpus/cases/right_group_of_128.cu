// Two groups of 128 threads each move their own tile, and synchronize on their own.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tiles[2][32][33];
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto group = cg::tiled_partition<128>(block);
    const int n = group.meta_group_rank();
    float(*tile)[33] = tiles[n];
    const int left = blockIdx.x * 64 + n * 32, top = blockIdx.y * 32, x = group.thread_rank() % 32, y = group.thread_rank() / 32;
    for (int k = y; k < 32; k += 4)
        if (top + k < rows && left + x < cols) tile[k][x] = in[(top + k) * cols + left + x];
    group.sync();
    for (int k = y; k < 32; k += 4)
        if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = tile[x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64), ceil_div(rows, 32)}, .block = {256}};
}
