// Lets a warp return before the barrier if its whole row of the tile is outside the matrix.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int first = blockIdx.y * 32, left = blockIdx.x * 32;
    const bool has_row = first + threadIdx.y < rows, has_column = left + threadIdx.y < cols;
    if (!has_row && !has_column) return;
    if (has_row && left + threadIdx.x < cols)
        tile[threadIdx.y][threadIdx.x] = in[(first + threadIdx.y) * cols + left + threadIdx.x];
    __syncthreads();
    if (has_column && first + threadIdx.x < rows)
        out[(left + threadIdx.y) * rows + first + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}
