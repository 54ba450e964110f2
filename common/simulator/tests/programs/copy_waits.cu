// Counts waits for asynchronous copies to shared memory, and the bytes that remain in flight, by
// the rules in execute/async_copy.h.
// simulator only
// expect: one stage: 4 waits, 0 bytes
// expect: two stages: 4 waits, 384 bytes
// expect: three stages: 4 waits, 640 bytes
// expect: ... by two warps: 8 waits, 1280 bytes
// expect: ... of half as many lanes: 4 waits, 320 bytes
// expect: ... that are waited for one after the other: 4 waits, 0 bytes
// expect: ... that are issued after the previous tile was read: 4 waits, 0 bytes
// expect: ... that are issued before the previous tile is read: 4 waits, 384 bytes
// expect: all at once, asked for twice: 1 waits, 0 bytes
// expect: nothing to wait for: 0 waits, 0 bytes
// expect: zeros alone: 1 waits, 0 bytes
// expect: bulk copies, one stage: 4 waits, 0 bytes
// expect: bulk copies, two stages: 4 waits, 1536 bytes
// expect: bulk copies to global memory: 0 waits, 0 bytes
#include <cstdint>

#include "../bulk.h"
#include "api_check.h"
#include "simulator_function.h"

constexpr int kTiles = 4;

__device__ void copy(float* to, const float* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
}
__device__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int Left>
__device__ void wait_for_all_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}

/// Each thread copies one float per tile. Every iteration commits a group, which may be empty.
template <int Stages, int Threads>
__device__ void run_stages(float* out, const float* in) {
    __shared__ float tiles[kTiles][64];
    const int thread = threadIdx.x;
    const bool copies = thread % 32 < Threads;
    for (int turn = 0; turn < kTiles + Stages - 1; ++turn) {
        if (turn < kTiles && copies) copy(&tiles[turn][thread], in + turn * 64 + thread);
        commit();
        if (turn < Stages - 1) continue;
        wait_for_all_but<Stages - 1>();
        const int tile = turn - (Stages - 1);
        if (copies) out[tile * 64 + thread] = tiles[tile][thread];
    }
}
template <int Stages>
__global__ void stages(float* out, const float* in) {
    run_stages<Stages, 32>(out, in);
}
__global__ void half_stages(float* out, const float* in) {
    run_stages<3, 16>(out, in);
}

/// Issues all copies before the first wait.
__global__ void one_after_the_other(float* out, const float* in) {
    __shared__ float tiles[kTiles][32];
    for (int tile = 0; tile < kTiles; ++tile) {
        copy(&tiles[tile][threadIdx.x], in + 32 * tile + threadIdx.x);
        commit();
    }
    wait_for_all_but<3>();
    wait_for_all_but<2>();
    wait_for_all_but<1>();
    wait_for_all_but<0>();
    for (int tile = 0; tile < kTiles; ++tile)
        out[32 * tile + threadIdx.x] = tiles[tile][threadIdx.x];
}

/// Issues the next copies after the wait, either before or after the tile is read. Only in the
/// first case do the copies overlap with the reads. In both cases, a wait leaves 0 bytes in flight.
template <bool BeforeReading>
__global__ void sent_after_the_wait(float* out, const float* in) {
    __shared__ float tiles[kTiles][32];
    const int thread = threadIdx.x;
    copy(&tiles[0][thread], in + thread);
    for (int tile = 0; tile < kTiles; ++tile) {
        const auto send_next = [&] {
            if (tile + 1 < kTiles) copy(&tiles[tile + 1][thread], in + (tile + 1) * 32 + thread);
        };
        asm volatile("cp.async.wait_all;" ::: "memory");
        if (BeforeReading) send_next();
        const volatile float* from = &tiles[tile][thread];
        out[tile * 32 + thread] = *from;
        if (!BeforeReading) send_next();
    }
}

__global__ void asked_twice(float* out, const float* in) {
    __shared__ float tile[32];
    copy(&tile[threadIdx.x], in + threadIdx.x);
    asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void nothing(float*, const float*) {
    commit();
    wait_for_all_but<0>();
}

/// Commits two groups of copies with no source bytes, and waits for the first group.
__global__ void zeros(float* out, const float* in) {
    __shared__ float tile[2][32];
    for (int k = 0; k < 2; ++k) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 0;" ::"r"(
                         shared_address(&tile[k][threadIdx.x])),
                     "l"(in + threadIdx.x)
                     : "memory");
        commit();
    }
    wait_for_all_but<1>();
    out[threadIdx.x] = tile[0][threadIdx.x];
}

/// One thread starts copies of 512 bytes, and all threads wait for them.
template <int Stages>
__global__ void bulk_stages(float* out, const float* in) {
    __shared__ __align__(128) float tiles[kTiles][128];
    __shared__ uint64_t arrived[kTiles];
    if (threadIdx.x == 0)
        for (uint64_t& barrier : arrived) init(barrier, 1);
    __syncthreads();
    for (int turn = 0; turn < kTiles + Stages - 1; ++turn) {
        if (turn < kTiles && threadIdx.x == 0) {
            expect_bytes(arrived[turn], sizeof tiles[turn]);
            load_run(tiles[turn], in + 128 * turn, sizeof tiles[turn], arrived[turn]);
        }
        if (turn < Stages - 1) continue;
        const int tile = turn - (Stages - 1);
        wait(arrived[tile], 0);
        out[128 * tile + threadIdx.x] = tiles[tile][threadIdx.x];
    }
}

__global__ void bulk_stores(float* out, const float*) {
    __shared__ __align__(128) float tile[128];
    tile[threadIdx.x] = threadIdx.x;
    fence_for_copies();
    __syncthreads();
    if (threadIdx.x != 0) return;
    store_run(out, tile, 128);
    commit_stores();
    wait_for_stores<0>();
}

static float *out, *in;

static void run(const char* what, void (*kernel)(float*, const float*), int threads = 32) {
    FIND(coalesceResetCounters)();
    kernel<<<1, threads>>>(out, in);
    need(cudaDeviceSynchronize());
    CoalesceCounters c = {};
    FIND(coalesceGetCounters)(nullptr, &c);
    std::printf("%s: %d waits, %d bytes\n", what, int(c.copy_waits), int(c.copy_bytes_under_way));
}

int main() {
    need(cudaMalloc(&out, 4096));
    need(cudaMalloc(&in, 4096));
    need(cudaMemset(in, 0, 4096));
    run("one stage", stages<1>);
    run("two stages", stages<2>);
    run("three stages", stages<3>);
    run("... by two warps", stages<3>, 64);
    run("... of half as many lanes", half_stages);
    run("... that are waited for one after the other", one_after_the_other);
    run("... that are issued after the previous tile was read", sent_after_the_wait<false>);
    run("... that are issued before the previous tile is read", sent_after_the_wait<true>);
    run("all at once, asked for twice", asked_twice);
    run("nothing to wait for", nothing);
    run("zeros alone", zeros);
    run("bulk copies, one stage", bulk_stages<1>, 128);
    run("bulk copies, two stages", bulk_stages<2>, 128);
    run("bulk copies to global memory", bulk_stores, 128);
    need(cudaFree(out));
    need(cudaFree(in));
}
