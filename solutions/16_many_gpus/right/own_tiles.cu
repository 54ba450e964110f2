// Computes the numbers of tiles from rows and cols instead of the grid.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 4, GPUS = 4;

__device__ int pieces(int count, int size) {
    return (count + size - 1) / size;
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const int down = pieces(pieces(rows, TILE_DIM), GPUS);
    const int across = pieces(pieces(cols, TILE_DIM), GPUS);
    const int gpu = blockIdx.y / down;
    const int peer = (gpu + blockIdx.x) % GPUS;
    const int top = blockIdx.y * TILE_DIM;
    const int left = (peer * across + blockIdx.x / GPUS) * TILE_DIM;
    const int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (top + y < rows && left + x < cols) tile[y][x] = in[(top + y) * cols + left + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (top + x < rows && left + y < cols) out[(left + y) * rows + top + x] = tile[x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    unsigned across = (cols + TILE_DIM * GPUS - 1) / (TILE_DIM * GPUS);
    return {.grid = {across * GPUS, ceil_div(rows, TILE_DIM)}, .block = {TILE_DIM, BLOCK_ROWS}};
}
