// Loads into a register first, and fills the tile with zeros outside the matrix.
template <int SIDE>
__device__ void turn(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE];
    auto inside = [=](int row, int col) { return row < rows && col < cols; };
    int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x * SIDE, by = blockIdx.y * SIDE;
    float value = inside(by + ty, bx + tx) ? in[(by + ty) * cols + bx + tx] : 0.0f;
    tile[ty][tx] = value;
    __syncthreads();
    value = tile[tx][ty];
    if (inside(by + tx, bx + ty)) out[(bx + ty) * rows + by + tx] = value;
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    turn<32>(out, in, rows, cols);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}
