// expect: endless-loop
// mistake: The loop counts down with an unsigned counter, until it is below zero.
// says: is unsigned
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned width = cols, height = rows;

    unsigned col = blockIdx.x * TILE_DIM + tx;
    unsigned row = blockIdx.y * TILE_DIM + ty;
    for (unsigned k = TILE_DIM - BLOCK_ROWS; k >= 0; k -= BLOCK_ROWS) {  // here
        if (row + k < height && col < width) tile[ty + k][tx] = in[(row + k) * width + col];
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + ty;
    row = blockIdx.y * TILE_DIM + tx;
    for (unsigned k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < height && col + k < width) out[(col + k) * height + row] = tile[tx][ty + k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
