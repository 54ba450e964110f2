// expect: outside-shared-memory
// mistake: Rows are 33 words apart, but the array has one word of padding in all.
// says: 33 elements apart
// says: 1056
constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM * TILE_DIM + 1];  // here
    auto at = [](int r, int c) { return r * (TILE_DIM + 1) + c; };

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) tile[at(threadIdx.y, threadIdx.x)] = in[row * cols + col];

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = tile[at(threadIdx.x, threadIdx.y)];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
