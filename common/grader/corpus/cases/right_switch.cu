// Stores in two branches of a switch, so that each warp has two store instructions.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float value = 0;
    if (row < rows && col < cols) value = in[row * cols + col];
    switch ((row + col) % 7) {
        case 0: case 3: case 5: if (row < rows && col < cols) out[col * rows + row] = value; break;
        default: if (row < rows && col < cols) out[col * rows + row] = value;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
