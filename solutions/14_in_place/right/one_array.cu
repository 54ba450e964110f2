// Stores both tiles in one array, and has the whole body in an if instead of an early return.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float tiles[2][TILE_DIM][TILE_DIM + 1];
    if (blockIdx.x >= blockIdx.y) {
        const int at[2] = {int(blockIdx.y) * TILE_DIM, int(blockIdx.x) * TILE_DIM};
        for (int which = 0; which < 2; ++which) {
            int col = at[1 - which] + threadIdx.x;
            for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
                int row = at[which] + y;
                if (row < side && col < side) tiles[which][y][threadIdx.x] = data[row * side + col];
            }
        }
        __syncthreads();
        int last = at[0] == at[1] ? 1 : 2;
        for (int which = 0; which < last; ++which) {
            int col = at[1 - which] + threadIdx.x;
            for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
                int row = at[which] + y;
                if (row < side && col < side)
                    data[row * side + col] = tiles[1 - which][threadIdx.x][y];
            }
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
