// expect: too-much-work | work-repeated | race-between-blocks
// mistake: Every thread loops over the whole matrix.
// never: does not end
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            out[col * rows + row] = in[row * cols + col];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
