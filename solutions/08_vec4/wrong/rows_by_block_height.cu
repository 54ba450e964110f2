// expect: grid-too-small
// mistake: The row is computed from the height of the block, not from the side of the tile.
// says: begin 64 columns of `out` apart
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            float4 v = reinterpret_cast<const float4&>(in[(row + k) * cols + col]);
            tile[threadIdx.y + k][threadIdx.x * 4 + 0] = v.x;
            tile[threadIdx.y + k][threadIdx.x * 4 + 1] = v.y;
            tile[threadIdx.y + k][threadIdx.x * 4 + 2] = v.z;
            tile[threadIdx.y + k][threadIdx.x * 4 + 3] = v.w;
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, four rows per lane.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = (blockIdx.y * blockDim.y + threadIdx.x) * 4;  // here
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            float4 v;
            v.x = tile[threadIdx.x * 4 + 0][threadIdx.y + k];
            v.y = tile[threadIdx.x * 4 + 1][threadIdx.y + k];
            v.z = tile[threadIdx.x * 4 + 2][threadIdx.y + k];
            v.w = tile[threadIdx.x * 4 + 3][threadIdx.y + k];
            reinterpret_cast<float4&>(out[(col + k) * rows + row]) = v;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 4, BLOCK_ROWS}};
}
