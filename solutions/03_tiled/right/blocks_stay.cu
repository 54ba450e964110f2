// Lets blocks loop over tiles, with a second barrier before the tile is refilled.
constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int across = (cols + TILE_DIM - 1) / TILE_DIM, down = (rows + TILE_DIM - 1) / TILE_DIM;
    for (int number = blockIdx.x; number < across * down; number += gridDim.x) {
        int tile_col = number % across * TILE_DIM, tile_row = number / across * TILE_DIM;
        int col = tile_col + threadIdx.x, row = tile_row + threadIdx.y;
        if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
        __syncthreads();
        col = tile_col + threadIdx.y, row = tile_row + threadIdx.x;
        if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
        __syncthreads();
    }
}

constexpr Launch configure(int rows, int cols) {
    const unsigned tiles = ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM);
    return {.grid = {min(tiles, 264u)}, .block = {TILE_DIM, TILE_DIM}};
}
