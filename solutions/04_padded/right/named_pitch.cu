// Gives the pitch a name, and makes it odd with |.
constexpr int TILE_DIM = 32, PITCH = TILE_DIM | 1;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM * PITCH];
    const int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE_DIM + x, row = blockIdx.y * TILE_DIM + y;
    if (row < rows && col < cols) {
        tile[y * PITCH + x] = in[row * cols + col];
    }
    __syncthreads();
    col = blockIdx.x * TILE_DIM + y, row = blockIdx.y * TILE_DIM + x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[x * PITCH + y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
