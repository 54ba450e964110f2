// Alternates between two tiles, with one barrier per tile.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[2][32][33];
    int across = (cols + 31) / 32, tiles = across * ((rows + 31) / 32), turn = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, turn ^= 1) {
        int col = t % across * 32 + threadIdx.x, row = t / across * 32 + threadIdx.y;
        if (row < rows && col < cols) tile[turn][threadIdx.y][threadIdx.x] = in[row * cols + col];
        __syncthreads();
        col = t % across * 32 + threadIdx.y;
        row = t / across * 32 + threadIdx.x;
        if (row < rows && col < cols) out[col * rows + row] = tile[turn][threadIdx.x][threadIdx.y];
    }
}
constexpr Launch configure(int rows, int cols) { return {.grid = {3}, .block = {32, 32}}; }
