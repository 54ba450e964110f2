// expect: too-many-requests
// mistake: The tile is accessed float by float.
// says: moves only 4 bytes
// never: accessed twice
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    int x = threadIdx.x * 4, y = threadIdx.y * 4;
    if (tile_row + y < rows && tile_col + x < cols) {
        for (int i = 0; i < 4; ++i) {
            int first = (tile_row + y + i) * cols + tile_col + x;
            float4 v = reinterpret_cast<const float4&>(in[first]);
            tile[x + 0][y + i] = v.x;
            tile[x + 1][y + i] = v.y;
            tile[x + 2][y + i] = v.z;
            tile[x + 3][y + i] = v.w;
        }
    }
    __syncthreads();
    for (int k = threadIdx.y; k < TILE_DIM; k += QUADS) {
        if (tile_row + x < rows && tile_col + k < cols) {
            float4 v = {tile[k][x], tile[k][x + 1], tile[k][x + 2], tile[k][x + 3]};
            reinterpret_cast<float4&>(out[(tile_col + k) * rows + tile_row + x]) = v;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM)}, .block = {QUADS, QUADS}};
}
