// Swizzles a tile of 16 x 16, which has no conflicts, whereas a padded one would have some.
constexpr int TILE_DIM = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned col = blockIdx.x * TILE_DIM + x, row = blockIdx.y * TILE_DIM + y;
    if (row < rows && col < cols) tile[y][x ^ y] = in[row * cols + col];
    __syncthreads();
    col = blockIdx.x * TILE_DIM + y, row = blockIdx.y * TILE_DIM + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[x][y ^ x];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
