// Unrolls the loops with a template that instantiates itself for each step.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

template <int K, class Do>
__device__ void each_step(Do step) {
    if constexpr (K < TILE_DIM) {
        step(K);
        each_step<K + BLOCK_ROWS>(step);
    }
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = threadIdx.x, y = threadIdx.y;
    int left = blockIdx.x * TILE_DIM, top = blockIdx.y * TILE_DIM;
    each_step<0>([&](int k) {
        if (top + y + k < rows && left + x < cols) {
            tile[y + k][x] = in[(top + y + k) * cols + left + x];
        }
    });
    __syncthreads();
    each_step<0>([&](int k) {
        if (top + x < rows && left + y + k < cols) {
            out[(left + y + k) * rows + top + x] = tile[x][y + k];
        }
    });
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
