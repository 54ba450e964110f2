// not built by clang: cooperative_groups/memcpy_async.h and cuda/pipeline are part of the toolkit
// Tests cp.async: copies to shared memory, and waits for groups of copies.
// expect: 4 bytes per thread: ok
// expect: 8 bytes per thread: ok
// expect: 16 bytes per thread: ok
// expect: zero fill: ok
// expect: ignored source: ok
// expect: source ignored by the opposite: ok
// expect: pipeline of 4 stages: ok
// expect: some lanes only: ok
// expect: cooperative groups memcpy_async: ok
// expect: cuda::pipeline: ok
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cuda/pipeline>

#include "check.h"

// init() initialises the cuda::barrier in shared memory, so its constructor need not run.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

constexpr int kThreads = 128;

template <class T>
__global__ void reverse(T* out, const T* in) {
    __shared__ T tile[kThreads];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[blockIdx.x * kThreads + threadIdx.x],
                            sizeof(T));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * kThreads + threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

/// Thread i copies the first i % 17 of its 16 bytes. The copy fills the rest with zeros.
__global__ void zero_fill(uint4* out, const uint4* in) {
    __shared__ uint4 tile[kThreads];
    const int i = threadIdx.x;
    tile[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
    __pipeline_memcpy_async(&tile[i], &in[i], 16, 16 - i % 17);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}

template <bool kOpposite>
__global__ void ignored_source(int* out, const int* in) {
    __shared__ int tile[kThreads];
    const int i = threadIdx.x;
    tile[i] = -1;
    asm volatile(
        "{ .reg .pred p, q;\n\t"
        "setp.ne.s32 p, %2, 0;\n\t"
        "setp.ne.s32 q, %3, 0;\n\t"
        "@q cp.async.ca.shared.global [%0], [%1], 4, !p;\n\t"
        "@!q cp.async.ca.shared.global [%0], [%1], 4, p;\n\t"
        "cp.async.wait_all; }" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&tile[i]))),
        "l"(&in[i]), "r"(i % 3), "r"(int{kOpposite})
        : "memory");
    out[i] = tile[i];
}

__global__ void stages(int* out, const int* in, int rounds) {
    constexpr int kStages = 4;
    __shared__ int tile[kStages][kThreads];
    for (int s = 0; s < kStages - 1; ++s) {
        __pipeline_memcpy_async(&tile[s][threadIdx.x], &in[s * kThreads + threadIdx.x], 4);
        __pipeline_commit();
    }
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        __pipeline_wait_prior(kStages - 2);
        __syncthreads();
        sum += tile[round % kStages][threadIdx.x ^ 1] * (round + 1);
        const int next = round + kStages - 1;
        if (next < rounds)
            __pipeline_memcpy_async(&tile[next % kStages][threadIdx.x],
                                    &in[next * kThreads + threadIdx.x], 4);
        __pipeline_commit();
    }
    out[threadIdx.x] = sum;
}

/// Odd threads copy once and even threads twice. Each thread waits for its first group of copies.
__global__ void some_lanes(int* out, const int* in) {
    __shared__ int tile[2 * kThreads];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], 4);
    __pipeline_commit();
    if (i % 2 == 0) {
        __pipeline_memcpy_async(&tile[kThreads + i], &in[kThreads + i], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        out[i] = tile[i];
        __pipeline_wait_prior(0);
        out[kThreads + i] = tile[kThreads + i];
    } else {
        __pipeline_wait_prior(0);
        out[i] = tile[i];
        out[kThreads + i] = 0;
    }
}

__global__ void by_group(int* out, const int* in) {
    __shared__ int tile[3 * kThreads];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof tile);
    cg::wait(block);
    for (int i = threadIdx.x; i < 3 * kThreads; i += kThreads) out[i] = tile[3 * kThreads - 1 - i];
}

__global__ void by_pipeline(int* out, const int* in, int rounds) {
    __shared__ int tile[2][kThreads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const auto fetch = [&](int round) {
        pipeline.producer_acquire();
        cuda::memcpy_async(block, tile[round % 2], in + round * kThreads,
                           cuda::aligned_size_t<4>(sizeof tile[0]), pipeline);
        pipeline.producer_commit();
    };
    fetch(0);
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (round + 1 < rounds) fetch(round + 1);
        pipeline.consumer_wait();
        sum += tile[round % 2][kThreads - 1 - threadIdx.x] * (round + 1);
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}

int scrambled(int i) {
    return static_cast<int>((i + 1) * 2654435761u >> 3);
}

template <class T, class Make>
void test_reverse(const char* name, Make make) {
    std::vector<T> in(2 * kThreads), wanted(2 * kThreads);
    for (int i = 0; i < 2 * kThreads; ++i) in[i] = make(i);
    for (int i = 0; i < 2 * kThreads; ++i)
        wanted[i] = in[i / kThreads * kThreads + kThreads - 1 - i % kThreads];
    DeviceArray<T> from(in), to(2 * kThreads);
    reverse<T><<<2, kThreads>>>(to, from);
    expect_equal(name, to.read(), wanted);
}

bool operator==(const int4& a, const int4& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

int main() {
    test_reverse<int>("4 bytes per thread", scrambled);
    test_reverse<double>("8 bytes per thread", [](int i) { return scrambled(i) * 0.5; });
    test_reverse<int4>("16 bytes per thread", [](int i) { return int4{i, scrambled(i), -i, 7}; });

    std::vector<int> in(16 * kThreads);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = scrambled(static_cast<int>(i));
    DeviceArray<int> from(in);
    {
        DeviceArray<uint4> to(kThreads);
        zero_fill<<<1, kThreads>>>(to, reinterpret_cast<const uint4*>(static_cast<int*>(from)));
        const std::vector<uint4> result = to.read();
        const auto* got = reinterpret_cast<const unsigned char*>(result.data());
        const auto* source = reinterpret_cast<const unsigned char*>(in.data());
        std::vector<unsigned char> wanted(16 * kThreads);
        for (int i = 0; i < kThreads; ++i)
            for (int k = 0; k < i % 17 && k < 16; ++k) wanted[16 * i + k] = source[16 * i + k];
        expect_equal("zero fill", std::vector<unsigned char>(got, got + 16 * kThreads), wanted);
    }
    {
        DeviceArray<int> to(kThreads);
        ignored_source<false><<<1, kThreads>>>(to, from);
        expect_equal("ignored source", to.read(),
                     for_threads<int>(kThreads, [&](int i) { return i % 3 ? 0 : in[i]; }));
        ignored_source<true><<<1, kThreads>>>(to, from);
        expect_equal("source ignored by the opposite", to.read(),
                     for_threads<int>(kThreads, [&](int i) { return i % 3 ? in[i] : 0; }));
    }
    {
        DeviceArray<int> to(kThreads);
        stages<<<1, kThreads>>>(to, from, 16);
        expect_equal("pipeline of 4 stages", to.read(), for_threads<int>(kThreads, [&](int i) {
                         unsigned sum = 0;
                         for (int r = 0; r < 16; ++r)
                             sum += static_cast<unsigned>(in[r * kThreads + (i ^ 1)]) * (r + 1);
                         return static_cast<int>(sum);
                     }));
    }
    {
        DeviceArray<int> to(2 * kThreads);
        some_lanes<<<1, kThreads>>>(to, from);
        expect_equal("some lanes only", to.read(), for_threads<int>(2 * kThreads, [&](int i) {
                         return i >= kThreads && i % 2 ? 0 : in[i];
                     }));
    }
    {
        DeviceArray<int> to(3 * kThreads);
        by_group<<<1, kThreads>>>(to, from);
        expect_equal(
            "cooperative groups memcpy_async", to.read(),
            for_threads<int>(3 * kThreads, [&](int i) { return in[3 * kThreads - 1 - i]; }));
    }
    {
        DeviceArray<int> to(kThreads);
        by_pipeline<<<1, kThreads>>>(to, from, 8);
        expect_equal("cuda::pipeline", to.read(), for_threads<int>(kThreads, [&](int i) {
                         unsigned sum = 0;
                         for (int r = 0; r < 8; ++r)
                             sum += static_cast<unsigned>(in[r * kThreads + kThreads - 1 - i]) *
                                    (r + 1);
                         return static_cast<int>(sum);
                     }));
    }
}
