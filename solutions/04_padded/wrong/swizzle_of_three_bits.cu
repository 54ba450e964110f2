// expect: bank-conflicts
// mistake: The swizzle uses only three bits of the row.
// says: only 8 of the 32 banks
// never: vertically adjacent
constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE_DIM + tx;
    int row = blockIdx.y * TILE_DIM + ty;
    if (row < rows && col < cols) {
        tile[ty][tx ^ (ty & 7)] = in[row * cols + col];
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + ty;
    row = blockIdx.y * TILE_DIM + tx;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[tx][ty ^ (tx & 7)];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
