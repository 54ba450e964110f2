// Passes its input to an instruction that expects a tensor map.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    __shared__ alignas(128) float4 tile[64];
    __shared__ unsigned long long mbarrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&mbarrier);
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2, %2}], [%3];" ::"r"((unsigned)__cvta_generic_to_shared(tile)),
            "l"(in), "r"(0), "r"(at)
            : "memory");
    }
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
