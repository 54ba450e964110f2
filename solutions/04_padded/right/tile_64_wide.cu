// Uses a tile 64 wide and 32 tall with rows of 65 floats, and 1024 threads in one dimension.
constexpr int WIDE = 64, TALL = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TALL][WIDE + 1];
    int row0 = blockIdx.y * TALL, col0 = blockIdx.x * WIDE;
    for (int i = threadIdx.x; i < WIDE * TALL; i += blockDim.x) {
        int r = i / WIDE, c = i % WIDE;
        if (row0 + r < rows && col0 + c < cols) tile[r][c] = in[(row0 + r) * cols + col0 + c];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < WIDE * TALL; i += blockDim.x) {
        int r = i % TALL, c = i / TALL;
        if (row0 + r < rows && col0 + c < cols) out[(col0 + c) * rows + row0 + r] = tile[r][c];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, WIDE), ceil_div(rows, TALL)}, .block = {1024}};
}
