// The function calls itself endlessly.
__device__ __noinline__ int deeper(int depth, const volatile float* in) {
    int kept[16];
    kept[depth % 16] = depth;
    return in[0] < -1e30f ? depth : deeper(depth + 1, in) + kept[(depth + 1) % 16];  // here
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col] + static_cast<float>(deeper(0, in));
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
