// Uses a union, so that a loop can index the four floats.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

union Four {
    float4 vector;
    float each[4];
};

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x * 4;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            Four four;
            four.vector = *reinterpret_cast<const float4*>(in + (row + k) * cols + col);
            for (int i = 0; i < 4; i++) {
                tile[threadIdx.y + k][threadIdx.x * 4 + i] = four.each[i];
            }
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, four rows per lane.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 4;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            Four four;
            for (int i = 0; i < 4; i++) {
                four.each[i] = tile[threadIdx.x * 4 + i][threadIdx.y + k];
            }
            *reinterpret_cast<float4*>(out + (col + k) * rows + row) = four.vector;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 4, BLOCK_ROWS}};
}
