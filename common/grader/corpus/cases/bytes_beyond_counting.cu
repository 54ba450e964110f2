// Makes an mbarrier expect more bytes than it can count.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    __shared__ unsigned long long mbarrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&mbarrier);
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        for (int i = 0; i < 4; ++i) {
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 0xfffff;" ::"r"(at)
                         : "memory");
        }
    }
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
