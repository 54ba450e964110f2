// Uses pointers to both elements, and size_t for the products.
__global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows,
                          int cols) {
    const size_t col = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t row = size_t(blockIdx.y) * blockDim.y + threadIdx.y;
    const float* const from = in + row * cols + col;
    float* const to = out + col * rows + row;
    if (row < size_t(rows) and col < size_t(cols)) {
        *to = __ldg(from);
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
