// Does everything in one thread.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row == 0 && col == 0)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++) out[c * rows + r] = in[r * cols + c];
}
constexpr Launch configure(int rows, int cols) { return {.grid = {1}, .block = {1}}; }
