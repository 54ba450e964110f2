// Stores by compare-and-swap with the current value.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    if (row >= rows || col >= cols) return;
    unsigned* to = reinterpret_cast<unsigned*>(out) + col * rows + row;
    unsigned value = __float_as_uint(in[row * cols + col]);
    unsigned old = *reinterpret_cast<volatile unsigned*>(to);
    while (atomicCAS(to, old, value) != old) old = *reinterpret_cast<volatile unsigned*>(to);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
