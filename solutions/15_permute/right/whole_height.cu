// Uses a tile that is as tall as a matrix, so that only columns of tiles are left.
constexpr int WIDE = 32, MATRIX_ROWS = 64;

__global__ void transpose_stack(float* out, const float* in, int, int cols) {
    __shared__ float tile[MATRIX_ROWS][WIDE + 1];
    const int matrix = blockIdx.y * MATRIX_ROWS * cols;
    const int left = blockIdx.x * WIDE;
    for (int i = threadIdx.x; i < MATRIX_ROWS * WIDE; i += blockDim.x) {
        int r = i / WIDE, c = i % WIDE;
        if (left + c < cols) tile[r][c] = in[matrix + r * cols + left + c];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < MATRIX_ROWS * WIDE; i += blockDim.x) {
        int r = i % MATRIX_ROWS, c = i / MATRIX_ROWS;
        if (left + c < cols) out[matrix + (left + c) * MATRIX_ROWS + r] = tile[r][c];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, WIDE), rows / MATRIX_ROWS}, .block = {256}};
}
