// Stores the rows of the transposed tile by bulk copies as well.
using Mbarrier = unsigned long long;  // 8 bytes of shared memory

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Initializes an mbarrier that waits for one thread to arrive, and for the announced bytes.
__device__ void init(Mbarrier& arrived) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived))
                 : "memory");
    // Makes the initialized mbarrier visible to TMA, which performs the copies.
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Arrives at the mbarrier, and announces how many bytes it must still wait for.
__device__ void expect(Mbarrier& arrived, unsigned bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)),
        "r"(bytes)
        : "memory");
}

// Waits until the phase with this parity is complete, that is, until all threads and bytes have
// arrived. The parity alternates from phase to phase: 0, 1, 0, and so on.
__device__ void wait(Mbarrier& arrived, unsigned parity) {
    unsigned over = 0;
    while (!over) {
        asm volatile(
            "{ .reg .pred p;\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(over)
            : "r"(shared_address(&arrived)), "r"(parity)
            : "memory");
    }
}

// Requests a copy of `bytes` bytes, which `arrived` counts as they arrive. The number of bytes and
// both addresses must be multiples of 16.
__device__ void load_row(float4* to, const float* from, unsigned bytes, Mbarrier& arrived) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(&arrived))
        : "memory");
}

constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, ROW = QUADS + 1, THREADS = 256;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * ROW];
    __shared__ float4 transposed[TILE_DIM * ROW];
    __shared__ Mbarrier arrived;
    const int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    const int height = min(TILE_DIM, rows - tile_row), width = min(TILE_DIM, cols - tile_col);
    if (threadIdx.x == 0) {
        init(arrived);
        expect(arrived, height * width * 4);
    }
    __syncthreads();
    if (int(threadIdx.x) < height)
        load_row(&tile[threadIdx.x * ROW], &in[(tile_row + threadIdx.x) * cols + tile_col],
                 width * 4, arrived);
    wait(arrived, 0);
    const int row_quad = threadIdx.x % QUADS;
    const int col_quad = (threadIdx.x / QUADS + row_quad / 2) % QUADS;
    if (row_quad * 4 < height && col_quad * 4 < width) {
        const float4 a = tile[(row_quad * 4 + 0) * ROW + col_quad];
        const float4 b = tile[(row_quad * 4 + 1) * ROW + col_quad];
        const float4 c = tile[(row_quad * 4 + 2) * ROW + col_quad];
        const float4 d = tile[(row_quad * 4 + 3) * ROW + col_quad];
        transposed[(col_quad * 4 + 0) * ROW + row_quad] = {a.x, b.x, c.x, d.x};
        transposed[(col_quad * 4 + 1) * ROW + row_quad] = {a.y, b.y, c.y, d.y};
        transposed[(col_quad * 4 + 2) * ROW + row_quad] = {a.z, b.z, c.z, d.z};
        transposed[(col_quad * 4 + 3) * ROW + row_quad] = {a.w, b.w, c.w, d.w};
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (int(threadIdx.x) < width) {
        float* to = &out[(tile_col + threadIdx.x) * rows + tile_row];
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                     "r"(shared_address(&transposed[threadIdx.x * ROW])), "r"(height * 4)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM)}, .block = {THREADS}};
}
