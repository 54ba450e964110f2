// Uses a swizzled tile of float4s and transposes in registers, with fewer requests.
constexpr int TILE_DIM = 32, QUADS = TILE_DIM / 4, THREADS = 64;

// Returns the index of float4 `quad` of row `row` in the tile.
__device__ int place(int row, int quad) {
    return row * QUADS + (quad ^ (row / 4 % 8));
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * QUADS];
    int top = blockIdx.y * TILE_DIM, left = blockIdx.x * TILE_DIM;
    int quad = threadIdx.x % QUADS;
    for (int k = threadIdx.x / QUADS; k < TILE_DIM; k += THREADS / QUADS) {
        if (top + k < rows && left + quad * 4 < cols) {
            tile[place(k, quad)] =
                reinterpret_cast<const float4&>(in[(top + k) * cols + left + quad * 4]);
        }
    }
    __syncthreads();
    int row_quad = threadIdx.x % QUADS, col_quad = threadIdx.x / QUADS;
    int row = top + row_quad * 4, col = left + col_quad * 4;
    if (row >= rows || col >= cols) return;
    float4 a = tile[place(row_quad * 4 + 0, col_quad)];
    float4 b = tile[place(row_quad * 4 + 1, col_quad)];
    float4 c = tile[place(row_quad * 4 + 2, col_quad)];
    float4 d = tile[place(row_quad * 4 + 3, col_quad)];
    reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
    reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
    reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
    reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)}, .block = THREADS};
}
