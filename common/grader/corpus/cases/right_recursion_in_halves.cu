// Splits the rows of a tile recursively, with a function that calls itself twice.
__device__ __noinline__ void fill(float (*tile)[33], const float* in, int rows, int cols, int top, int left, int first, int count) {
    if (count > 1) { fill(tile, in, rows, cols, top, left, first, count / 2); fill(tile, in, rows, cols, top, left, first + count / 2 * 8, count - count / 2); return; }
    if (top + first < rows && left + int(threadIdx.x) < cols) tile[first][threadIdx.x] = in[(top + first) * cols + left + threadIdx.x];
}
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    fill(tile, in, rows, cols, top, left, threadIdx.y, 4);
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
