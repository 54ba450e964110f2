// The copies of each stage report to an mbarrier.
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, TILE_QUADS = TILE_DIM * QUADS, THREADS = 256;

// Returns the index of float4 `quad` of row `row` in the tile.
__device__ int place(int row, int quad) {
    return row * QUADS + (quad ^ (row / 4 % 8));
}

// Starts copying tile `number` (in column-major order) to shared memory.
__device__ void fetch(float4* tile, const float* in, int rows, int cols, int number) {
    int down = (rows + TILE_DIM - 1) / TILE_DIM;
    int tile_row = number % down * TILE_DIM, tile_col = number / down * TILE_DIM;
    int quad = threadIdx.x % QUADS, col = tile_col + quad * 4;
    for (int k = threadIdx.x / QUADS; k < TILE_DIM; k += THREADS / QUADS) {
        if (tile_row + k < rows && col < cols) {
            unsigned to = __cvta_generic_to_shared(&tile[place(k, quad)]);
            const float* from = &in[(tile_row + k) * cols + col];
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
                         : "memory");
        }
    }
}

// Transposes this thread's 4 x 4 piece of tile `number` in registers and stores it to `out`.
__device__ void store_transposed(float* out, const float4* tile, int rows, int cols, int number) {
    int down = (rows + TILE_DIM - 1) / TILE_DIM;
    int row_quad = threadIdx.x % QUADS, col_quad = threadIdx.x / QUADS;
    int row = number % down * TILE_DIM + row_quad * 4;
    int col = number / down * TILE_DIM + col_quad * 4;
    if (row < rows && col < cols) {
        float4 a = tile[place(row_quad * 4 + 0, col_quad)];
        float4 b = tile[place(row_quad * 4 + 1, col_quad)];
        float4 c = tile[place(row_quad * 4 + 2, col_quad)];
        float4 d = tile[place(row_quad * 4 + 3, col_quad)];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void report_copies(unsigned long long& bar) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&bar))
                 : "memory");
}
__device__ void wait(unsigned long long& bar, unsigned parity) {
    unsigned over = 0;
    while (!over)
        asm volatile(
            "{ .reg .pred p;\n\t"
            "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(over)
            : "r"(shared_address(&bar)), "r"(parity)
            : "memory");
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tiles[2][TILE_QUADS];
    __shared__ unsigned long long arrived[2];
    const int count = (rows + TILE_DIM - 1) / TILE_DIM * ((cols + TILE_DIM - 1) / TILE_DIM);
    if (threadIdx.x < 2)
        asm volatile(
            "mbarrier.init.shared.b64 [%0], 256;" ::"r"(shared_address(&arrived[threadIdx.x]))
            : "memory");
    __syncthreads();
    fetch(tiles[0], in, rows, cols, blockIdx.x);
    report_copies(arrived[0]);
    int n = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x, ++n) {
        const int next = tile + gridDim.x;
        if (next < count) {
            fetch(tiles[(n + 1) % 2], in, rows, cols, next);
            report_copies(arrived[(n + 1) % 2]);
        }
        wait(arrived[n % 2], n / 2 % 2);
        store_transposed(out, tiles[n % 2], rows, cols, tile);
        __syncthreads();
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM), 4)},
            .block = {THREADS}};
}
