// expect: misaligned
// mistake: A float4 is loaded from rows whose length is only even.
// says: has cols = 46 floats
// says: Use a float2
// never: goes up by
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // 8 threads load a row of the tile, 16 bytes each. The 256 threads load all of it at once.
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    int r = t / 8;
    int c = t % 8 * 4;
    int row = blockIdx.y * TILE_DIM + r;
    int col = blockIdx.x * TILE_DIM + c;
    if (row < rows && col < cols) {
        float4 v = *reinterpret_cast<const float4*>(&in[row * cols + col]);  // here
        tile[r][c + 0] = v.x;
        tile[r][c + 1] = v.y;
        tile[r][c + 2] = v.z;
        tile[r][c + 3] = v.w;
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
