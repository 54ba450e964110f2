// expect: bad-launch | blocks-idle
// mistake: The grid has one block per element, so nearly all tiles are outside the matrix.
// never: e+0
constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {cols, rows},  // here
            .block = {TILE_DIM, TILE_DIM}};
}
