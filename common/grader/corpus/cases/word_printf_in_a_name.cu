// Reads each element of the tile three times. A variable's name contains "printf".
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (row + k < rows && col < cols) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
    __syncthreads();
    col = blockIdx.x * 32 + threadIdx.y;
    row = blockIdx.y * 32 + threadIdx.x;
    volatile float* printf_tile = &tile[0][0];
    for (int k = 0; k < 32; k += 8) {
        if (row < rows && col + k < cols) {
            float value = printf_tile[threadIdx.x * 33 + threadIdx.y + k];
            value = printf_tile[threadIdx.x * 33 + threadIdx.y + k];
            out[(col + k) * rows + row] = printf_tile[threadIdx.x * 33 + threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
