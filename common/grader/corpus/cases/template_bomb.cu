// Instantiates sixteen million classes.
template <int N, int M> struct Bomb { enum { value = Bomb<N - 1, 2 * M>::value + Bomb<N - 1, 2 * M + 1>::value }; };
template <int M> struct Bomb<0, M> { enum { value = 1 }; };
constexpr int boom = Bomb<24, 1>::value;
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
