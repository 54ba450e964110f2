// expect: uninitialised-shared
// mistake: The loops end at 32, but the tile has 64 rows and columns.
// says: 16 in each of 2 passes
constexpr int TILE_DIM = 64;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = threadIdx.x * 4, y = threadIdx.y;
    int left = blockIdx.x * TILE_DIM, top = blockIdx.y * TILE_DIM;

    for (int k = 0; k < 32; k += 16) {  // here
        if (top + y + k < rows && left + x < cols) {
            float4 v = reinterpret_cast<const float4&>(in[(top + y + k) * cols + left + x]);
            tile[y + k][x + 0] = v.x;
            tile[y + k][x + 1] = v.y;
            tile[y + k][x + 2] = v.z;
            tile[y + k][x + 3] = v.w;
        }
    }

    __syncthreads();

    for (int k = 0; k < 32; k += 16) {
        if (top + x < rows && left + y + k < cols) {
            float4 v;
            v.x = tile[x + 0][y + k];
            v.y = tile[x + 1][y + k];
            v.z = tile[x + 2][y + k];
            v.w = tile[x + 3][y + k];
            reinterpret_cast<float4&>(out[(left + y + k) * rows + top + x]) = v;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)}, .block = {16, 16}};
}
