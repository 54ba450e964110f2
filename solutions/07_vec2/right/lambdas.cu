// Uses lambdas that load and store pairs, const __restrict__ and size_t.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows,
                          int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    auto load2 = [&](size_t row, size_t col) {
        return __ldg(reinterpret_cast<const float2*>(in + row * cols + col));
    };
    auto store2 = [&](size_t row, size_t col, float2 v) {
        *reinterpret_cast<float2*>(out + row * rows + col) = v;
    };
    const unsigned two = threadIdx.x * 2;
    const unsigned top = blockIdx.y * TILE_DIM, left = blockIdx.x * TILE_DIM;
    for (unsigned y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (top + y < rows && left + two < cols) {
            const auto [a, b] = load2(top + y, left + two);
            tile[y][two] = a, tile[y][two + 1] = b;
        }
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (top + two < rows && left + y < cols) {
            store2(left + y, top + two, float2{tile[two][y], tile[two + 1][y]});
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 2, BLOCK_ROWS}};
}
