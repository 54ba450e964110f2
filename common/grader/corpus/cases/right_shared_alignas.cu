// Aligns the tile with alignas, after __shared__.
constexpr int side = 32;
constexpr Launch configure(int rows, int cols);
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ alignas(16) float tile[side][side + 1];
    int col = blockIdx.x * side + threadIdx.x, row = blockIdx.y * side + threadIdx.y;
    for (int k = 0; k < side; k += 8)
        if (row + k < rows && col < cols)
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
    __syncthreads();
    col = blockIdx.y * side + threadIdx.x;
    row = blockIdx.x * side + threadIdx.y;
    for (int k = 0; k < side; k += 8)
        if (row + k < cols && col < rows)
            out[(row + k) * rows + col] = tile[threadIdx.x][threadIdx.y + k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, side), ceil_div(rows, side)}, .block = {side, 8}};
}
