// Loads into four registers first, and then fills the tile.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    float values[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        bool inside = row + i * BLOCK_ROWS < rows && col < cols;
        values[i] = inside ? in[(row + i * BLOCK_ROWS) * cols + col] : 0;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) tile[threadIdx.y + i * BLOCK_ROWS][threadIdx.x] = values[i];
    __syncthreads();
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 4; ++i) values[i] = tile[threadIdx.x][threadIdx.y + i * BLOCK_ROWS];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        if (row < rows && col + i * BLOCK_ROWS < cols) {
            out[(col + i * BLOCK_ROWS) * rows + row] = values[i];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
