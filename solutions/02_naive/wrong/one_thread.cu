// expect: lanes-idle | too-many-requests
// mistake: A single thread transposes the whole matrix.
// says: thread
// never: float2
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            out[col * rows + row] = in[row * cols + col];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {1, 1}, .block = {1, 1}};  // here
}
