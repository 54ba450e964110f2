// Uses a class for matrices.
template <class T>
struct Matrix {
    T* data;
    int pitch;
    __device__ T& operator()(int row, int col) const { return data[row * pitch + col]; }
};
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    Matrix<const float> from{in, cols};
    Matrix<float> to{out, rows};
    if (row < rows && col < cols) to(col, row) = from(row, col);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
