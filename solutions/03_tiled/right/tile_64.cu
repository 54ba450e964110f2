// Uses a tile of 64 x 64 and 1024 threads, each of which moves four elements.
constexpr int TILE_DIM = 64;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];
    const int top = blockIdx.y * TILE_DIM, left = blockIdx.x * TILE_DIM;
    for (int y = threadIdx.y; y < TILE_DIM; y += 32)
        for (int x = threadIdx.x; x < TILE_DIM; x += 32)
            if (top + y < rows && left + x < cols) tile[y][x] = in[(top + y) * cols + left + x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += 32)
        for (int x = threadIdx.x; x < TILE_DIM; x += 32)
            if (top + x < rows && left + y < cols) out[(left + y) * rows + top + x] = tile[x][y];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)}, .block = {32, 32}};
}
