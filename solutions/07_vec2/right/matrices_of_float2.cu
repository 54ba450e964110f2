// Accesses both matrices as matrices of float2s with half as many columns.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const float2* pairs_in = reinterpret_cast<const float2*>(in);
    float2* pairs_out = reinterpret_cast<float2*>(out);
    int row_pairs = cols / 2, out_pairs = rows / 2;
    int x = threadIdx.x;

    int pair = blockIdx.x * (TILE_DIM / 2) + x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        int row = blockIdx.y * TILE_DIM + y;
        if (row >= rows || pair >= row_pairs) continue;
        float2 both = pairs_in[row * row_pairs + pair];
        tile[y][2 * x] = both.x;
        tile[y][2 * x + 1] = both.y;
    }

    __syncthreads();

    pair = blockIdx.y * (TILE_DIM / 2) + x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        int col = blockIdx.x * TILE_DIM + y;
        if (col >= cols || pair >= out_pairs) continue;
        pairs_out[col * out_pairs + pair] = {tile[2 * x][y], tile[2 * x + 1][y]};
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 2, BLOCK_ROWS}};
}
