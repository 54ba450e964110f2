// Multiplies in a different order, and uses dim3 in configure.
constexpr int T = 32, R = 4, MATRIX_ROWS = 64;

__global__ void transpose_stack(float* __restrict__ out, const float* __restrict__ in, int height,
                                int width) {
    __shared__ float tile[T][T + 1];
    const int size = MATRIX_ROWS * width;
    const float* const a = &in[blockIdx.z * size];
    float* const b = &out[blockIdx.z * size];
    const int bx = blockIdx.x * T, by = blockIdx.y * T;
    const int tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
    for (int j = 0; j < T; j += R) {
        int x = bx + tx, y = by + ty + j;
        if (x < width && y < MATRIX_ROWS) tile[ty + j][tx] = a[y * width + x];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < T; j += R) {
        int x = by + tx, y = bx + ty + j;
        if (x < MATRIX_ROWS && y < width) b[y * MATRIX_ROWS + x] = tile[tx][ty + j];
    }
}

constexpr Launch configure(int rows, int cols) {
    const int count = rows / MATRIX_ROWS;
    return {.grid = dim3(ceil_div(cols, T), MATRIX_ROWS / T, count), .block = dim3(T, R)};
}
