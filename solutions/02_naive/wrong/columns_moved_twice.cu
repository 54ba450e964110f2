// expect: work-repeated
// mistake: Blocks of 32 columns begin 16 columns apart, so every column is moved twice.
// says: begin 16 rows of `out` apart
constexpr int WIDTH = 16, HEIGHT = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * WIDTH + threadIdx.x;  // here
    int row = blockIdx.y * HEIGHT + threadIdx.y;

    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, WIDTH), ceil_div(rows, HEIGHT)}, .block = {32, 8}};
}
