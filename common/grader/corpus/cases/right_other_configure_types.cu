// Assigns the members of Launch in its configure function one by one.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr int divide(int count, int size) { return (count + size - 1) / size; }
constexpr Launch configure(int rows, int cols) {
    Launch launch{};
    launch.grid = dim3(divide(cols, 32), divide(rows, 8));
    launch.block = dim3(32, 8);
    return launch;
}
