// expect: too-many-requests
// mistake: The kernel makes two stores of one float instead of one store of a float2.
// says: float2
// never: Access each element once
// never: access each element once
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x * 2;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            float2 v = reinterpret_cast<const float2&>(in[(row + k) * cols + col]);
            tile[threadIdx.y + k][threadIdx.x * 2 + 0] = v.x;
            tile[threadIdx.y + k][threadIdx.x * 2 + 1] = v.y;
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, two rows per lane.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 2;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            float x = tile[threadIdx.x * 2 + 0][threadIdx.y + k];
            float y = tile[threadIdx.x * 2 + 1][threadIdx.y + k];
            out[(col + k) * rows + row] = x;      // here
            out[(col + k) * rows + row + 1] = y;  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 2, BLOCK_ROWS}};
}
