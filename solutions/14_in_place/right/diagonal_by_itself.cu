// Has separate code for the tiles on the diagonal.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__device__ void read(float (&tile)[TILE_DIM][TILE_DIM + 1], const float* data, int row, int col,
                     int side) {
    for (int y = threadIdx.y; y < TILE_DIM && row + y < side; y += BLOCK_ROWS) {
        if (col + threadIdx.x < side)
            tile[y][threadIdx.x] = data[(row + y) * side + col + threadIdx.x];
    }
}

__device__ void write(float* data, const float (&tile)[TILE_DIM][TILE_DIM + 1], int row, int col,
                      int side) {
    for (int y = threadIdx.y; y < TILE_DIM && row + y < side; y += BLOCK_ROWS) {
        if (col + threadIdx.x < side)
            data[(row + y) * side + col + threadIdx.x] = tile[threadIdx.x][y];
    }
}

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float upper[TILE_DIM][TILE_DIM + 1];
    __shared__ float lower[TILE_DIM][TILE_DIM + 1];
    int row = blockIdx.y * TILE_DIM, col = blockIdx.x * TILE_DIM;
    if (row == col) {
        read(upper, data, row, row, side);
        __syncthreads();
        write(data, upper, row, row, side);
    } else if (row < col) {
        read(upper, data, row, col, side);
        read(lower, data, col, row, side);
        __syncthreads();
        write(data, lower, row, col, side);
        write(data, upper, col, row, side);
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
