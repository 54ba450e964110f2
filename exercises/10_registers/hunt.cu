// Bug hunt 10_registers -- a colleague's fastest kernel: 4 x 4 pieces, and a swizzled tile.
//
// Seen    The result is always correct. The tile is swizzled, "so it has no bank conflicts".
// Fix     the bug, and change as little as you can (1 line).
// Check   ./learn check 10 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4;

// Returns the index of float4 `quad` of row `col` (a column of `in`) in the transposed tile. Each
// of 8 rows permutes its float4s differently, so that no two threads share a bank.
__device__ int swizzled(int col, int quad) {
    return col * QUADS + (quad ^ (col % 8));
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * QUADS];

    int col = blockIdx.y * TILE_DIM + threadIdx.x * 4;
    int row = blockIdx.x * TILE_DIM + threadIdx.y * 4;
    if (row < rows && col < cols) {
        float4 a = reinterpret_cast<const float4&>(in[(row + 0) * cols + col]);
        float4 b = reinterpret_cast<const float4&>(in[(row + 1) * cols + col]);
        float4 c = reinterpret_cast<const float4&>(in[(row + 2) * cols + col]);
        float4 d = reinterpret_cast<const float4&>(in[(row + 3) * cols + col]);
        tile[swizzled(threadIdx.x * 4 + 0, threadIdx.y)] = {a.x, b.x, c.x, d.x};
        tile[swizzled(threadIdx.x * 4 + 1, threadIdx.y)] = {a.y, b.y, c.y, d.y};
        tile[swizzled(threadIdx.x * 4 + 2, threadIdx.y)] = {a.z, b.z, c.z, d.z};
        tile[swizzled(threadIdx.x * 4 + 3, threadIdx.y)] = {a.w, b.w, c.w, d.w};
    }

    __syncthreads();

    col = blockIdx.y * TILE_DIM + threadIdx.y;
    row = blockIdx.x * TILE_DIM + threadIdx.x * 4;
    for (int k = 0; k < TILE_DIM; k += QUADS) {
        if (row < rows && col + k < cols) {
            float4 v = tile[swizzled(threadIdx.y + k, threadIdx.x)];
            reinterpret_cast<float4&>(out[(col + k) * rows + row]) = v;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM)}, .block = {QUADS, QUADS}};
}
