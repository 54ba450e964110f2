// Uses a swizzled tile without padding, and 256 threads in one dimension.
constexpr int TILE_DIM = 64, QUADS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];
    const int four = threadIdx.x % QUADS * 4;
    const int top = blockIdx.y * TILE_DIM, left = blockIdx.x * TILE_DIM;
    for (int y = threadIdx.x / QUADS; y < TILE_DIM; y += 16) {
        if (top + y >= rows || left + four >= cols) continue;
        float4 v = *reinterpret_cast<const float4*>(&in[(top + y) * cols + left + four]);
        tile[y][(four + 0) ^ y] = v.x;
        tile[y][(four + 1) ^ y] = v.y;
        tile[y][(four + 2) ^ y] = v.z;
        tile[y][(four + 3) ^ y] = v.w;
    }
    __syncthreads();
    for (int y = threadIdx.x / QUADS; y < TILE_DIM; y += 16) {
        if (top + four >= rows || left + y >= cols) continue;
        float4 v;
        v.x = tile[four + 0][y ^ (four + 0)];
        v.y = tile[four + 1][y ^ (four + 1)];
        v.z = tile[four + 2][y ^ (four + 2)];
        v.w = tile[four + 3][y ^ (four + 3)];
        *reinterpret_cast<float4*>(&out[(left + y) * rows + top + four]) = v;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)}, .block = 256};
}
