// Overruns its tile, which is too small, into dynamic shared memory that it does not declare.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[16][33];
    float (*volatile all)[33] = tile;
    float (*whole)[33] = all;
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (row + k < rows && col < cols) whole[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
    __syncthreads();
    col = blockIdx.x * 32 + threadIdx.y;
    row = blockIdx.y * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8)
        if (row < rows && col + k < cols) out[(col + k) * rows + row] = whole[threadIdx.x][threadIdx.y + k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}, .shared_bytes = 4096};
}
