// Persistent blocks alternate between two tiles, with one barrier per tile.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tiles[2][32][33];
    int turn = 0;
    const int wide = (cols + 31) / 32, tall = (rows + 31) / 32;
    for (int number = blockIdx.x; number < wide * tall; number += gridDim.x, turn ^= 1) {
    auto& tile = tiles[turn];
    const int left = number % wide * 32, top = number / wide * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows && left + int(threadIdx.x) < cols) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {(ceil_div(cols, 32) * ceil_div(rows, 32) + 3) / 4}, .block = {32, 8}};
}
