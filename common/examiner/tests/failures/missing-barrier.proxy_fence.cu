// A bulk copy overwrites shared memory that threads have filled, without a fence in between.
__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ __align__(16) float piece[4];
    __shared__ unsigned long long arrived;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    bool is_first = threadIdx.x == 0 && threadIdx.y == 0;
    if (is_first) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived))
                     : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (threadIdx.x < 4 && threadIdx.y == 0) piece[threadIdx.x] = 0;
    __syncthreads();
    if (rows * cols >= 4) {
        if (is_first) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(
                             shared_address(&arrived))
                         : "memory");
            // clang-format off
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];"  // here
                         ::"r"(shared_address(piece)), "l"(in), "r"(shared_address(&arrived)) : "memory");  // here
            // clang-format on
        }
        for (unsigned over = 0; !over;) {
            asm volatile(
                "{ .reg .pred p;\n\t"
                "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
                "selp.u32 %0, 1, 0, p; }"
                : "=r"(over)
                : "r"(shared_address(&arrived))
                : "memory");
        }
    }
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
