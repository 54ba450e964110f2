// Has unavoidable bank conflicts, and waits at a cuda::barrier, which also uses shared memory.
#include <cuda/barrier>
//
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 64, BLOCK_ROWS = 16;

constexpr int THREADS = 256;


__global__ void __launch_bounds__(TILE_DIM / 2 * BLOCK_ROWS) transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
    __shared__ alignas(8) unsigned char barrier_place[sizeof(cuda::barrier<cuda::thread_scope_block>)];
    auto* barrier = reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(barrier_place);
    if ((threadIdx.y * blockDim.x + threadIdx.x) == 0) init(barrier, THREADS);
    __syncthreads();

    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x * 4;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            float4 v = *static_cast<const float4*>(__builtin_assume_aligned(&in[(row + k) * cols + col], sizeof(float4)));
            tile[threadIdx.y + k][threadIdx.x * 4 + 0] = v.x;
            tile[threadIdx.y + k][threadIdx.x * 4 + 1] = v.y;
            tile[threadIdx.y + k][threadIdx.x * 4 + 2] = v.z;
            tile[threadIdx.y + k][threadIdx.x * 4 + 3] = v.w;
        }
    }

    barrier->arrive_and_wait();

    // The lanes of a warp now read a column of the tile, four rows per lane.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 4;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            float4 v;
            v.x = tile[threadIdx.x * 4 + 0][threadIdx.y + k];
            v.y = tile[threadIdx.x * 4 + 1][threadIdx.y + k];
            v.z = tile[threadIdx.x * 4 + 2][threadIdx.y + k];
            v.w = tile[threadIdx.x * 4 + 3][threadIdx.y + k];
            __stcs(reinterpret_cast<float4*>(&out[(col + k) * rows + row]), v);
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 4, BLOCK_ROWS}};
}

