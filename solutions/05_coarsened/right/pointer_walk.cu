// Moves pointers through both matrices.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    const float* from = in + row * cols + col;
    for (float* to = &tile[threadIdx.y][threadIdx.x]; to < &tile[TILE_DIM][0];
         to += BLOCK_ROWS * (TILE_DIM + 1), from += BLOCK_ROWS * cols, row += BLOCK_ROWS) {
        if (row < rows && col < cols) *to = *from;
    }
    __syncthreads();
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    float* to = out + col * rows + row;
    for (int k = 0; k != TILE_DIM; k += BLOCK_ROWS, to += BLOCK_ROWS * rows) {
        if (col + k >= cols || row >= rows) continue;
        *to = tile[threadIdx.x][threadIdx.y + k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
