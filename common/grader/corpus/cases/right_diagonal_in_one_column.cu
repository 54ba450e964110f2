// Processes its tiles along diagonals, with a grid that is one block wide.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int wide = (cols + 31) / 32, tall = (rows + 31) / 32;
    int number = blockIdx.y;
    if (number >= wide * tall) return;
    int down = number % tall, across = (number / tall + number % tall) % wide;
    int col = across * 32 + threadIdx.x, row = down * 32 + threadIdx.y;
    float values[4];
    for (int k = 0; k < 4; ++k)
        if (row + 8 * k < rows && col < cols) values[k] = in[(row + 8 * k) * cols + col];
    for (int k = 0; k < 4; ++k)
        if (row + 8 * k < rows && col < cols) tile[threadIdx.y + 8 * k][threadIdx.x] = values[k];
    __syncthreads();
    col = across * 32 + threadIdx.y;
    row = down * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8)
        if (row < rows && col + k < cols) out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {1, ceil_div(cols, 32) * ceil_div(rows, 32)}, .block = {32, 8}};
}
