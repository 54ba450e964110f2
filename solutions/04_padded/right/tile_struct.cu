// Hides the padding in a struct.
template <int SIDE, int PADDING>
class Tile {
public:
    __device__ float& operator()(int row, int col) { return cells[row * (SIDE + PADDING) + col]; }

private:
    float cells[SIDE * (SIDE + PADDING)];
};

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ Tile<32, 1> tile;
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) tile(threadIdx.y, threadIdx.x) = in[row * cols + col];
    __syncthreads();
    int row_of_out = blockIdx.x * 32 + threadIdx.y, col_of_out = blockIdx.y * 32 + threadIdx.x;
    if (row_of_out < cols && col_of_out < rows)
        out[row_of_out * rows + col_of_out] = tile(threadIdx.x, threadIdx.y);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}
