// expect: misaligned
// mistake: A float2 is stored in a tile with rows of 33 floats.
// says: has 33 floats
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x * 2;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            *reinterpret_cast<float2*>(&tile[threadIdx.y + k][threadIdx.x * 2]) =  // here
                *reinterpret_cast<const float2*>(&in[(row + k) * cols + col]);
        }
    }

    __syncthreads();

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
