// expect: tile-not-transposed
// mistake: The tile is filled column by column, and read column by column too.
// never: __syncthreads
constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.x][threadIdx.y] = in[row * cols + col];  // here
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x][threadIdx.y];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
