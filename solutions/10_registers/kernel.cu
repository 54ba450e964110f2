// Exercise 10_registers -- transpose 4 x 4 pieces in registers, and swizzle the tile.
//
// Given   a 64 x 64 tile, stored transposed in rows of 16 float4s; the stores to `out`; the launch.
// Write   what a thread does with its 4 x 4 piece, and the swizzle (9 lines).
// Check   ./learn check 10          Stuck?   ./learn hint 10
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4;  // a quad is a float4

// Returns the index of float4 `quad` of row `col` (a column of `in`) in the transposed tile.
__device__ unsigned swizzled(unsigned col, unsigned quad) {
    //! [blank]
    //! // TODO: 8 threads store together. They have the same `quad`, in rows that are 4 apart. Permute
    //! // the float4s of each of these 8 rows differently, so that the 8 threads use different banks.
    //! return col * QUADS + quad;
    return col * QUADS + (quad ^ (col / 4 % 8));
    //! [blank]
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * QUADS];  // transposed: each row is a column of `in`

    // blockIdx.x counts tiles down the matrix, so the blocks run in column-major order.
    int col = blockIdx.y * TILE_DIM + threadIdx.x * 4;
    int row = blockIdx.x * TILE_DIM + threadIdx.y * 4;
    if (row < rows && col < cols) {
        //! [blank]
        //! // TODO: load a float4 from each of the rows `row` to `row + 3`. Transpose the 4 x 4 floats:
        //! // the first floats of the four form a float4 of the tile's row threadIdx.x * 4, and so on.
        //! // Its number in that row is threadIdx.y, and swizzled() returns its index.
        float4 a = reinterpret_cast<const float4&>(in[(row + 0) * cols + col]);
        float4 b = reinterpret_cast<const float4&>(in[(row + 1) * cols + col]);
        float4 c = reinterpret_cast<const float4&>(in[(row + 2) * cols + col]);
        float4 d = reinterpret_cast<const float4&>(in[(row + 3) * cols + col]);
        tile[swizzled(threadIdx.x * 4 + 0, threadIdx.y)] = {a.x, b.x, c.x, d.x};
        tile[swizzled(threadIdx.x * 4 + 1, threadIdx.y)] = {a.y, b.y, c.y, d.y};
        tile[swizzled(threadIdx.x * 4 + 2, threadIdx.y)] = {a.z, b.z, c.z, d.z};
        tile[swizzled(threadIdx.x * 4 + 3, threadIdx.y)] = {a.w, b.w, c.w, d.w};
        //! [blank]
    }

    __syncthreads();

    // The lanes of a warp now read along rows of the transposed tile, which are rows of `out`.
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
