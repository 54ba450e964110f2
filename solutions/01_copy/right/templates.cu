// Uses a template over the number of rows, and a device function for each half.
template <int COUNT>
struct Column {
    float value[COUNT];
};

template <int COUNT>
__device__ Column<COUNT> load(const float* in, int row, int col, int rows, int cols) {
    Column<COUNT> column;
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        if (row + i * 8 < rows && col < cols) column.value[i] = in[(row + i * 8) * cols + col];
    }
    return column;
}

template <int COUNT>
__device__ void store(float* out, Column<COUNT> column, int row, int col, int rows, int cols) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        if (row + i * 8 < rows && col < cols) out[(row + i * 8) * cols + col] = column.value[i];
    }
}

__global__ void copy(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    store(out, load<4>(in, row, col, rows, cols), row, col, rows, cols);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
