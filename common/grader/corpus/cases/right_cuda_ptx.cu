// Uses the PTX wrappers of libcu++.
//
#include "exercise.h"  // Launch, ceil_div

#include <cuda/barrier>
#include <cuda/ptx>
using Mbarrier = unsigned long long;  // 8 bytes of shared memory

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

namespace ptx = cuda::ptx;
__device__ void init(Mbarrier& arrived) { ptx::mbarrier_init(&arrived, 1); ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); }
__device__ void expect(Mbarrier& arrived, unsigned bytes) { static_cast<void>(ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, bytes)); }
__device__ void wait(Mbarrier& arrived, unsigned parity) { while (!ptx::mbarrier_try_wait_parity(&arrived, parity)) {} }
__device__ void load_row(float4* to, const float* from, unsigned bytes, Mbarrier& arrived) { ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, &arrived); }
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, ROW = QUADS + 1, THREADS = 256;  // quad: float4

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * ROW];  // rows of `in`, each padded with one float4
    __shared__ Mbarrier arrived;
    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    int height = min(TILE_DIM, rows - tile_row);
    int bytes_of_row = min(TILE_DIM, cols - tile_col) * int(sizeof(float));

    if (threadIdx.x == 0) {
        init(arrived);
        expect(arrived, height * bytes_of_row);
    }
    __syncthreads();  // no thread uses the mbarrier before it is initialized
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
    return {.grid = {ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM)}, .block = {THREADS}};
}

