// expect: out-of-bounds
// mistake: The four loads of a thread are 16 rows apart instead of consecutive.
// says: rows in between
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4;  // a quad is a float4

// Returns the index of float4 `quad` of row `col` (a column of `in`) in the transposed tile.
__device__ unsigned swizzled(unsigned col, unsigned quad) {
    return col * QUADS + (quad ^ (col / 4 % 8));
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * QUADS];  // transposed: each row is a column of `in`

    // blockIdx.x counts tiles down the matrix, so the blocks run in column-major order.
    int col = blockIdx.y * TILE_DIM + threadIdx.x * 4;
    int row = blockIdx.x * TILE_DIM + threadIdx.y * 4;
    if (row < rows && col < cols) {
        float4 v[4];
        for (int i = 0; i < 4; ++i) {  // here
            v[i] = reinterpret_cast<const float4&>(in[(row + i * QUADS) * cols + col]);
        }
        tile[swizzled(threadIdx.x * 4 + 0, threadIdx.y)] = {v[0].x, v[1].x, v[2].x, v[3].x};
        tile[swizzled(threadIdx.x * 4 + 1, threadIdx.y)] = {v[0].y, v[1].y, v[2].y, v[3].y};
        tile[swizzled(threadIdx.x * 4 + 2, threadIdx.y)] = {v[0].z, v[1].z, v[2].z, v[3].z};
        tile[swizzled(threadIdx.x * 4 + 3, threadIdx.y)] = {v[0].w, v[1].w, v[2].w, v[3].w};
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
