// Exchanges values between lanes with a warp shuffle, and then exchanges them back.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    // Exchange values between the lanes of a warp. The lanes hold 32 adjacent elements of a row.
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    float value = row < rows && col < cols ? in[row * cols + col] : 0.0f;
    value = __shfl_xor_sync(0xffffffff, value, 31);
    value = __shfl_xor_sync(0xffffffff, value, 31);
    if (row < rows && col < cols) out[col * rows + row] = value;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
