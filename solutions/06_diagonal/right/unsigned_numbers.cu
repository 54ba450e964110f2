// Uses unsigned numbers, and computes the position of the tile in elements.
constexpr unsigned TILE_DIM = 32, BLOCK_ROWS = 4;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const unsigned number = blockIdx.y * gridDim.x + blockIdx.x;
    const unsigned round = number / gridDim.y, step = number % gridDim.y;
    const unsigned top = step * TILE_DIM, left = (step + round) % gridDim.x * TILE_DIM;

    for (unsigned y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (top + y >= rows || left + threadIdx.x >= cols) continue;
        tile[y][threadIdx.x] = in[size_t(top + y) * cols + left + threadIdx.x];
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (top + threadIdx.x >= rows || left + y >= cols) continue;
        out[size_t(left + y) * rows + top + threadIdx.x] = tile[threadIdx.x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
