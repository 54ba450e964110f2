// Uses blocks of 8 x 4 x 8 threads, in which z counts rows of 32 threads.
__device__ int index_of(int row, int col, int length) {
    return row * length + col;
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int lane = threadIdx.y * 8 + threadIdx.x;
    int col = blockIdx.x * 32 + lane, row = blockIdx.y * 8 + threadIdx.z;
    const bool inside = row < rows & col < cols;
    if (inside) out[index_of(col, row, rows)] = in[index_of(row, col, cols)];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {8, 4, 8}};
}
