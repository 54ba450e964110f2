// Declares the tile as one-dimensional dynamic shared memory.
constexpr int TILE_DIM = 32;
extern __shared__ float tile[];

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE_DIM + x;
    int row = blockIdx.y * TILE_DIM + y;
    if (row < rows && col < cols) tile[y * TILE_DIM + x] = in[row * cols + col];
    __syncthreads();
    int out_row = blockIdx.x * TILE_DIM + y;
    int out_col = blockIdx.y * TILE_DIM + x;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[x * TILE_DIM + y];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM},
            .shared_bytes = TILE_DIM * TILE_DIM * sizeof(float)};
}
