// Warps 0 to 3 load, warps 4 to 7 store. Two mbarriers pass the tile between them.
constexpr int TILE_DIM = 32, SECTOR = 8, LEAD = SECTOR - 1, TILES = 4;

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void arrive(unsigned long long& bar) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&bar)) : "memory");
}
__device__ void wait(unsigned long long& bar, unsigned parity) {
    unsigned over = 0;
    while (!over)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(over)
            : "r"(shared_address(&bar)), "r"(parity)
            : "memory");
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + LEAD][TILE_DIM + 1];
    __shared__ unsigned long long full, empty;
    if (threadIdx.x + threadIdx.y == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(shared_address(&full)) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(shared_address(&empty)) : "memory");
    }
    __syncthreads();
    const int x = threadIdx.x, y = threadIdx.y % 4;
    const int down = (rows + LEAD + TILE_DIM - 1) / TILE_DIM;
    const int tile_col = blockIdx.x * TILE_DIM;
    for (int n = 0; n < TILES; ++n) {
        const int number = blockIdx.y * TILES + n;
        if (number >= down) break;
        const int tile_row = number * TILE_DIM;
        if (threadIdx.y < 4) {
            if (n > 0) wait(empty, (n - 1) % 2);
            for (int k = y; k < TILE_DIM + LEAD; k += 4) {
                const int row = tile_row - LEAD + k, col = tile_col + x;
                if (row >= 0 && row < rows && col < cols) tile[k][x] = in[row * cols + col];
            }
            arrive(full);
        } else {
            wait(full, n % 2);
            for (int k = y; k < TILE_DIM; k += 4) {
                const int col = tile_col + k;
                const int phase = (col * rows + tile_row) % SECTOR;
                const int row = tile_row - phase + x;
                if (row >= 0 && row < rows && col < cols) out[col * rows + row] = tile[x + LEAD - phase][k];
            }
            arrive(empty);
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(ceil_div(rows + LEAD, TILE_DIM), TILES)},
            .block = {32, 8}};
}
