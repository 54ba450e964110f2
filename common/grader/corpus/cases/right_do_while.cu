// Launches two rows of blocks, which loop over all rows of the matrix.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int r = row;
    do {
        if (r < rows && col < cols) out[col * rows + r] = in[r * cols + col];
        r += gridDim.y * blockDim.y;
    } while (r < rows);
}
constexpr Launch configure(int rows, int cols) { return {.grid = {ceil_div(cols, 32), 2}, .block = {32, 4}}; }
