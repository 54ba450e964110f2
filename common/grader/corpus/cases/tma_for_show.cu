// Loads the matrix by bulk copies into an array that it never reads, and again through registers.
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
    __shared__ float4 unused[TILE_DIM * QUADS];
    __shared__ Mbarrier arrived;
    const int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    const int height = min(TILE_DIM, rows - tile_row), width = min(TILE_DIM, cols - tile_col);
    if (threadIdx.x == 0) {
        init(arrived);
        expect(arrived, height * width * 4);
    }
    __syncthreads();
    if (int(threadIdx.x) < 2 * height) {
        const int row = threadIdx.x / 2, half = threadIdx.x % 2 * 32, bytes = 4 * min(32, width - half);
        if (bytes > 0) load_row(&unused[row * QUADS + half / 4], &in[(tile_row + row) * cols + tile_col + half], bytes, arrived);
    }
    for (int k = threadIdx.x / QUADS; k < height; k += THREADS / QUADS)
        if (int(threadIdx.x % QUADS * 4) < width)
            tile[k * ROW + threadIdx.x % QUADS] = reinterpret_cast<const float4&>(in[(tile_row + k) * cols + tile_col + threadIdx.x % QUADS * 4]);
    wait(arrived, 0);
    __syncthreads();
    // Rows that are 4 apart begin in only 2 of 8 bank groups. To avoid conflicts, the 8 threads
    // that read together take pieces on a diagonal. Two of them still fill a sector of `out`.
    int row_quad = threadIdx.x % QUADS;
    int col_quad = (threadIdx.x / QUADS + row_quad / 2) % QUADS;
    int row = tile_row + row_quad * 4, col = tile_col + col_quad * 4;
    if (row < rows && col < cols) {
        float4 a = tile[(row_quad * 4 + 0) * ROW + col_quad];
        float4 b = tile[(row_quad * 4 + 1) * ROW + col_quad];
        float4 c = tile[(row_quad * 4 + 2) * ROW + col_quad];
        float4 d = tile[(row_quad * 4 + 3) * ROW + col_quad];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM)}, .block = {THREADS}};
}
