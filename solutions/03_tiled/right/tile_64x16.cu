// Uses a tile that is 64 wide and 16 tall, and renumbers the threads before the store.
constexpr int WIDE = 64, TALL = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TALL][WIDE];
    int col = blockIdx.x * WIDE + threadIdx.x;
    int row = blockIdx.y * TALL + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();
    int thread = threadIdx.y * WIDE + threadIdx.x;
    int r = thread % TALL, c = thread / TALL;
    col = blockIdx.x * WIDE + c;
    row = blockIdx.y * TALL + r;
    if (row < rows && col < cols) out[col * rows + row] = tile[r][c];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, WIDE), ceil_div(rows, TALL)}, .block = {WIDE, TALL}};
}
