// Has a configure function that never returns.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    unsigned long long x = rows;
    while (x != 1) x = x * 6364136223846793005ull + 1442695040888963407ull | 2;
    return {.grid = {x}, .block = {32, 8}};
}
