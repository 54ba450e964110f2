// The grid size is rounded down, so the last tile is left out.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    int across = cols < 32 ? 1 : cols / 32, down = rows < 8 ? 1 : rows / 8;
    return {.grid = {across, down}, .block = {32, 8}};  // here
}
