// The kernel uses one array for two tiles, but has no barrier before it stores the second tile.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    for (int half = 0; half < 2; ++half) {
        int col = blockIdx.x * 64 + half * 32 + threadIdx.x;
        int row = blockIdx.y * 32 + threadIdx.y;
        if (row < rows && col < cols) {
            tile[threadIdx.y][threadIdx.x] = in[row * cols + col];  // here
        }
        __syncthreads();
        col = blockIdx.x * 64 + half * 32 + threadIdx.y;
        row = blockIdx.y * 32 + threadIdx.x;
        if (row < rows && col < cols) {
            out[col * rows + row] = tile[threadIdx.x][threadIdx.y];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64), ceil_div(rows, 32)}, .block = {32, 32}};
}
