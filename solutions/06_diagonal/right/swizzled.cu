// Uses a swizzled tile instead of padding, and threads in one dimension.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM * TILE_DIM];
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int tile_row = block % gridDim.y;
    int tile_col = (block / gridDim.y + tile_row) % gridDim.x;
    int lane = threadIdx.x % TILE_DIM, first = threadIdx.x / TILE_DIM;
    for (int y = first; y < TILE_DIM; y += BLOCK_ROWS) {
        int col = tile_col * TILE_DIM + lane, row = tile_row * TILE_DIM + y;
        if (row < rows && col < cols) tile[y * TILE_DIM + (lane ^ y)] = in[row * cols + col];
    }
    __syncthreads();
    for (int y = first; y < TILE_DIM; y += BLOCK_ROWS) {
        int col = tile_col * TILE_DIM + y, row = tile_row * TILE_DIM + lane;
        if (row < rows && col < cols) out[col * rows + row] = tile[lane * TILE_DIM + (y ^ lane)];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM * BLOCK_ROWS}};
}
