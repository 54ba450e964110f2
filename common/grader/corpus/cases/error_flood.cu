// Causes thousands of compiler errors.
#define A x y z;
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    D D
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
