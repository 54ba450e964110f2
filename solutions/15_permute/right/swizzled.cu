// Swizzles the tile, and describes a matrix by a struct.
constexpr unsigned TILE_DIM = 32, BLOCK_ROWS = 2;
constexpr int MATRIX_ROWS = 64;

template <class Number>
struct Matrix {
    Number* data;
    int rows, cols;
    __device__ Matrix(Number* stack, int z, int r, int c)
        : data(stack + z * r * c), rows(r), cols(c) {}
    __device__ bool has(int row, int col) const { return row < rows && col < cols; }
    __device__ Number& at(int row, int col) { return data[row * cols + col]; }
};

__global__ void transpose_stack(float* out, const float* in, int, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];
    Matrix<const float> from(in, blockIdx.z, MATRIX_ROWS, cols);
    Matrix<float> to(out, blockIdx.z, cols, MATRIX_ROWS);
    unsigned x = threadIdx.x, top = blockIdx.y * TILE_DIM, left = blockIdx.x * TILE_DIM;
    for (unsigned y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (from.has(top + y, left + x)) tile[y][x ^ y] = from.at(top + y, left + x);
    __syncthreads();
    for (unsigned y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (to.has(left + y, top + x)) to.at(left + y, top + x) = tile[x][y ^ x];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(MATRIX_ROWS, TILE_DIM),
                     ceil_div(rows, MATRIX_ROWS)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
