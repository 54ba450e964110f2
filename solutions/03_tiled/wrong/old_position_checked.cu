// expect: no-bounds-check
// mistake: The check before the store uses the position of the load.
// says: the access uses `new_col` and `new_row`
constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();

    int new_col = blockIdx.x * TILE_DIM + threadIdx.y;
    int new_row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {  // here
        out[new_col * rows + new_row] = tile[threadIdx.x][threadIdx.y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
