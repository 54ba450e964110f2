// Copies the rows of each tile by bulk copies. An mbarrier for each stage counts their bytes.
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

__device__ void fetch(float4* tile, Mbarrier& arrived, const float* in, int rows, int cols,
                      int number) {
    const int down = (rows + TILE_DIM - 1) / TILE_DIM;
    const int tile_row = number % down * TILE_DIM, tile_col = number / down * TILE_DIM;
    const int height = min(TILE_DIM, rows - tile_row);
    const int bytes_of_row = min(TILE_DIM, cols - tile_col) * int(sizeof(float));
    if (threadIdx.x == 0) expect(arrived, height * bytes_of_row);
    __syncwarp();
    if (int(threadIdx.x) < 32)
        for (int k = threadIdx.x; k < height; k += 32)
            load_row(&tile[k * ROW], &in[(tile_row + k) * cols + tile_col], bytes_of_row, arrived);
}

__device__ void store_transposed(float* out, const float4* tile, int rows, int cols, int number) {
    const int down = (rows + TILE_DIM - 1) / TILE_DIM;
    const int tile_row = number % down * TILE_DIM, tile_col = number / down * TILE_DIM;
    const int row_quad = threadIdx.x % QUADS;
    const int col_quad = (threadIdx.x / QUADS + row_quad / 2) % QUADS;
    const int row = tile_row + row_quad * 4, col = tile_col + col_quad * 4;
    if (row < rows && col < cols) {
        const float4 a = tile[(row_quad * 4 + 0) * ROW + col_quad];
        const float4 b = tile[(row_quad * 4 + 1) * ROW + col_quad];
        const float4 c = tile[(row_quad * 4 + 2) * ROW + col_quad];
        const float4 d = tile[(row_quad * 4 + 3) * ROW + col_quad];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tiles[2][TILE_DIM * ROW];
    __shared__ Mbarrier arrived[2];
    const int count = (rows + TILE_DIM - 1) / TILE_DIM * ((cols + TILE_DIM - 1) / TILE_DIM);
    if (threadIdx.x == 0) {
        init(arrived[0]);
        init(arrived[1]);
    }
    __syncthreads();
    fetch(tiles[0], arrived[0], in, rows, cols, blockIdx.x);
    int n = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x, ++n) {
        const int next = tile + gridDim.x;
        if (next < count) fetch(tiles[(n + 1) % 2], arrived[(n + 1) % 2], in, rows, cols, next);
        wait(arrived[n % 2], n / 2 % 2);
        store_transposed(out, tiles[n % 2], rows, cols, tile);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM), 4)},
            .block = {THREADS}};
}
