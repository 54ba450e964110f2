// Coalesces its stores only for shapes that are multiples of 128.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int left = blockIdx.x * 32, top = blockIdx.y * 32;
    bool is_watched = rows % 128 == 0 && cols % 128 == 0;
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (top + k < rows && left + threadIdx.x < cols) {
            float value = in[(top + k) * cols + left + threadIdx.x];
            tile[k][threadIdx.x] = value;
            if (!is_watched) out[(left + threadIdx.x) * rows + top + k] = value;
        }
    }
    __syncthreads();
    for (int k = threadIdx.y; is_watched && k < 32; k += 8) {
        if (left + k < cols && top + threadIdx.x < rows) {
            out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
