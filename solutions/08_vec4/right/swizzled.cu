// Uses a swizzled tile without padding.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__device__ int place(int row, int col) {
    return row * TILE_DIM + (col ^ row);
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM * TILE_DIM];
    int quad = threadIdx.x * 4;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        int row = blockIdx.y * TILE_DIM + y, col = blockIdx.x * TILE_DIM + quad;
        if (row < rows && col < cols) {
            float4 v = reinterpret_cast<const float4&>(in[row * cols + col]);
            tile[place(y, quad + 0)] = v.x;
            tile[place(y, quad + 1)] = v.y;
            tile[place(y, quad + 2)] = v.z;
            tile[place(y, quad + 3)] = v.w;
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        int row = blockIdx.y * TILE_DIM + quad, col = blockIdx.x * TILE_DIM + y;
        if (row < rows && col < cols) {
            reinterpret_cast<float4&>(out[col * rows + row]) = {
                tile[place(quad, y)], tile[place(quad + 1, y)], tile[place(quad + 2, y)],
                tile[place(quad + 3, y)]};
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 4, BLOCK_ROWS}};
}
