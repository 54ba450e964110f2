// expect: ragged-edge-missed
// mistake: Swap the two sizes of the grid.
// says: blockIdx.x counts rows
#include "exercise.h"  // Launch, ceil_div

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

constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, ROW = QUADS + 1, THREADS = 256;  // quad: float4

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * ROW];  // rows of `in`, each padded by one float4
    __shared__ Mbarrier arrived;
    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    int height = min(TILE_DIM, rows - tile_row);
    int bytes_of_row = min(TILE_DIM, cols - tile_col) * int(sizeof(float));

    if (threadIdx.x == 0) {
        init(arrived);
        expect(arrived, height * bytes_of_row);
    }
    __syncthreads();
    if (int(threadIdx.x) < height) {
        const float* from = &in[(tile_row + threadIdx.x) * cols + tile_col];
        load_row(&tile[threadIdx.x * ROW], from, bytes_of_row, arrived);
    }
    wait(arrived, 0);

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
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},  // here
            .block = {THREADS}};
}
