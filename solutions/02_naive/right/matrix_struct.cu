// Uses a struct that stores the row length and has an operator that returns an element.
template <class Number>
struct Matrix {
    Number* data;
    int rows, cols;
    __device__ Number& operator()(int row, int col) const { return data[row * cols + col]; }
    __device__ bool has(int row, int col) const { return row < rows && col < cols; }
};

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    Matrix<const float> from{in, rows, cols};
    Matrix<float> to{out, cols, rows};
    if (from.has(row, col)) to(col, row) = from(row, col);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
