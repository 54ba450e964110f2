// expect: outside-shared-memory
// mistake: The rotated index is not reduced modulo the length of a row.
// says: the elements of a row
// says: modulo 32
// never: uses row
constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    // Rotate every row by its index.
    auto slot = [](int r, int c) { return c + r; };

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][slot(threadIdx.y, threadIdx.x)] = in[row * cols + col];  // here
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x][slot(threadIdx.x, threadIdx.y)];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
