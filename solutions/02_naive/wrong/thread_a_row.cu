// expect: uncoalesced-loads
// mistake: Each thread transposes a whole row, so the lanes of a warp read different rows.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        for (int col = 0; col < cols; ++col) {
            out[col * rows + row] = in[row * cols + col];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 128)}, .block = {128}};
}
