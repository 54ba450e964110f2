// expect: scrambled-in-tile
// mistake: The two components are put into the two halves of a row.
// says: neighbours in a row
// never: Multiply threadIdx.x
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x * 2;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            float2 v = reinterpret_cast<const float2&>(in[(row + k) * cols + col]);
            tile[threadIdx.y + k][threadIdx.x] = v.x;
            tile[threadIdx.y + k][threadIdx.x + TILE_DIM / 2] = v.y;  // here
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, two rows per lane.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 2;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            float2 v;
            v.x = tile[threadIdx.x * 2 + 0][threadIdx.y + k];
            v.y = tile[threadIdx.x * 2 + 1][threadIdx.y + k];
            reinterpret_cast<float2&>(out[(col + k) * rows + row]) = v;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 2, BLOCK_ROWS}};
}
