// Waits for each load at a barrier. Its uncompiled text, which the grader reads, has 20,000 loops.
#if 0
@repeat 20000 "for(;;){"@
#endif
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int number = blockIdx.y * gridDim.x + blockIdx.x;
    int down = number % gridDim.y, across = (number / gridDim.y + down) % gridDim.x;
    int col = across * 32 + threadIdx.x, row = down * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        if (row + k < rows && col < cols) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        __syncthreads();
    }
    __syncthreads();
    col = across * 32 + threadIdx.y;
    row = down * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8)
        if (row < rows && col + k < cols) out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
