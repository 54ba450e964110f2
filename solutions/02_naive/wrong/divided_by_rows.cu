// expect: wrong-pitch
// mistake: The index of the input is divided by rows instead of cols.
// says: whose rows have cols elements
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    int i = row * cols + col;
    if (i < rows * cols) {
        int r = i / rows, c = i % rows;  // here
        out[c * rows + r] = in[i];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
