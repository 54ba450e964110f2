// expect: uninitialised-shared
// mistake: The load loop fills 32 of the 39 rows of the tile.
// says: only 32 of the 39 rows
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int SECTOR = 8, LEAD = SECTOR - 1;  // floats

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + LEAD][TILE_DIM + 1];

    int tile_row = blockIdx.y * TILE_DIM;
    int tile_col = blockIdx.x * TILE_DIM;

    int col = tile_col + threadIdx.x;
    int row = tile_row - LEAD + int(threadIdx.y);
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {  // here
        if (row + k >= 0 && row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        int c = tile_col + k;
        int phase = (c * rows + tile_row) % SECTOR;
        int r = tile_row - phase + int(threadIdx.x);
        if (r >= 0 && r < rows && c < cols) {
            out[c * rows + r] = tile[threadIdx.x + LEAD - phase][k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows + LEAD, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
