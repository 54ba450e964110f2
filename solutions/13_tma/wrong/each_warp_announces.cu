// expect: copy-not-waited-for
// mistake: One thread of each warp announces the bytes of its rows.
// says: makes the mbarrier wait for one arrival
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

constexpr int N = 64, Q = N / 4, PITCH = Q + 1;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[N][PITCH];
    __shared__ Mbarrier ready;
    const int t = threadIdx.x;
    const int r0 = blockIdx.x * N, c0 = blockIdx.y * N;
    const int lines = min(N, rows - r0);
    const unsigned bytes = 4 * min(N, cols - c0);  // of one line

    if (t == 0) {
        init(ready);
    }
    __syncthreads();
    if (t % 32 == 0 && t < lines) expect(ready, min(32, lines - t) * bytes);  // here
    if (t < lines) load_row(tile[t], in + (r0 + t) * cols + c0, bytes, ready);
    wait(ready, 0);

    const int rq = t % Q, cq = (t / Q + rq / 2) % Q;
    const int r = r0 + 4 * rq, c = c0 + 4 * cq;
    if (r >= rows || c >= cols) return;
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = tile[4 * rq + i][cq];
    float* to = out + c * rows + r;
    *reinterpret_cast<float4*>(to + 0 * rows) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    *reinterpret_cast<float4*>(to + 1 * rows) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    *reinterpret_cast<float4*>(to + 2 * rows) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    *reinterpret_cast<float4*>(to + 3 * rows) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, N), ceil_div(cols, N)}, .block = {256}};
}
