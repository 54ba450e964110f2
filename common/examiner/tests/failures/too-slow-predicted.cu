// A barrier after every load makes each load wait for the previous one. No counter shows this.
// request: solution
// request: of_copy_predicted 0.75
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__device__ void fetch(float (&tile)[TILE_DIM][TILE_DIM + 1], const float* in, int rows, int cols,
                      int k) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y + k;
    if (row < rows && col < cols) tile[threadIdx.y + k][threadIdx.x] = in[row * cols + col];
    __syncthreads();
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    fetch(tile, in, rows, cols, 0);
    fetch(tile, in, rows, cols, 8);
    fetch(tile, in, rows, cols, 16);
    fetch(tile, in, rows, cols, 24);

    int col = blockIdx.x * TILE_DIM + threadIdx.y;
    int row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
