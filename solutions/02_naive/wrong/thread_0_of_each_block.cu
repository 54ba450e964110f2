// expect: lanes-idle | too-many-requests
// mistake: One thread of each block does the work of the whole block.
// says: thread
// never: float2
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    if (threadIdx.x == 0 && threadIdx.y == 0) {  // here
        for (int row = blockIdx.y * 8; row < min(rows, int(blockIdx.y + 1) * 8); ++row) {
            for (int col = blockIdx.x * 32; col < min(cols, int(blockIdx.x + 1) * 32); ++col) {
                out[col * rows + row] = in[row * cols + col];  // here
            }
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
