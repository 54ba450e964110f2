// Stores the tile untransposed, and transposes the pieces after reading them from the tile.
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4;  // a quad is a float4

// Returns the index of float4 `quad` of row `col` in the tile, which is not transposed.
__device__ unsigned swizzled(unsigned col, unsigned quad) {
    return col * QUADS + (quad ^ (col / 4 % 8));
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * QUADS];  // each row is part of a row of `in`

    float4 piece[4];
    // blockIdx.x counts tiles down the matrix, so the blocks run in column-major order.
    int col = blockIdx.y * TILE_DIM + threadIdx.x * 4;
    int row = blockIdx.x * TILE_DIM + threadIdx.y * 4;
    if (row < rows && col < cols) {
        // The tile holds rows of `in`. The 8 threads that read together use rows that are 4 apart.
        for (int i = 0; i < 4; ++i) {
            piece[i] = reinterpret_cast<const float4&>(in[(row + i) * cols + col]);
        }
        for (int i = 0; i < 4; ++i) {
            tile[swizzled(threadIdx.y * 4 + i, threadIdx.x)] = piece[i];
        }
    }

    __syncthreads();

    row = blockIdx.x * TILE_DIM + threadIdx.x * 4;
    col = blockIdx.y * TILE_DIM + threadIdx.y * 4;
    if (row < rows && col < cols) {
        float4 a = tile[swizzled(threadIdx.x * 4 + 0, threadIdx.y)];
        float4 b = tile[swizzled(threadIdx.x * 4 + 1, threadIdx.y)];
        float4 c = tile[swizzled(threadIdx.x * 4 + 2, threadIdx.y)];
        float4 d = tile[swizzled(threadIdx.x * 4 + 3, threadIdx.y)];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM)}, .block = {QUADS, QUADS}};
}
