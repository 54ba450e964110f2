// Each thread reads a float4, but the addresses of adjacent threads are only one float apart.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;  // here
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        float4 v = reinterpret_cast<const float4&>(in[row * cols + col]);  // here
        out[col * rows + row] = v.x + v.y + v.z + v.w;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
