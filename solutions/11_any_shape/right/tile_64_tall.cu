// Uses a tile of 64 rows, so that only half as many tiles load LEAD extra rows.
constexpr int TALL = 64, WIDE = 32, BLOCK_ROWS = 8;
constexpr int SECTOR = 8, LEAD = SECTOR - 1;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TALL + LEAD][WIDE + 1];
    int tile_row = blockIdx.y * TALL, tile_col = blockIdx.x * WIDE;
    for (int k = threadIdx.y; k < TALL + LEAD; k += BLOCK_ROWS) {
        int row = tile_row - LEAD + k, col = tile_col + threadIdx.x;
        if (row >= 0 && row < rows && col < cols) tile[k][threadIdx.x] = in[row * cols + col];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < WIDE; k += BLOCK_ROWS) {
        int col = tile_col + k;
        int phase = (col * rows + tile_row) % SECTOR;
        for (int half = 0; half < TALL; half += 32) {
            int r = half + threadIdx.x - phase;
            int row = tile_row + r;
            if (row >= 0 && row < rows && col < cols) out[col * rows + row] = tile[r + LEAD][k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, WIDE), ceil_div(rows + LEAD, TALL)}, .block = {32, BLOCK_ROWS}};
}
