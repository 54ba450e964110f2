// Tests loads and stores with cache hints, prefetches, policies, and volatile or ordered accesses.
// None of these affects which bytes are moved.
// expect: load hints: ok
// expect: store hints: ok
// expect: read-only loads: ok
// expect: eviction and level hints: ok
// expect: prefetch and discard: ok
// expect: volatile: ok
// expect: relaxed, acquire, release: ok
// expect: cuda::atomic: ok
#include <cuda/atomic>

#include "check.h"

constexpr int kThreads = 64;

__global__ void load_hints(int* out, const int* in) {
    const int i = threadIdx.x;
    int sum = __ldca(in + i) + __ldcg(in + i) * 2 + __ldcs(in + i) * 3 + __ldlu(in + i) * 4 +
              __ldcv(in + i) * 5;
    const int4 four = __ldcs(reinterpret_cast<const int4*>(in) + i / 4);
    sum += four.x + four.w * 7;
    out[i] = sum;
}
__global__ void store_hints(int* out) {
    const int i = threadIdx.x;
    __stwb(out + 4 * i, i);
    __stcg(out + 4 * i + 1, i + 1);
    __stcs(out + 4 * i + 2, i + 2);
    __stwt(out + 4 * i + 3, i + 3);
}
__global__ void read_only(float* out, const float* __restrict__ in) {
    const float2 two = __ldg(reinterpret_cast<const float2*>(in) + threadIdx.x);
    out[threadIdx.x] = two.x * 2 + two.y + in[threadIdx.x];
}
__global__ void evictions(int* out, const int* in) {
    const int i = threadIdx.x;
    int a, b, c, d, e, f;
    asm volatile("ld.global.L1::evict_last.b32 %0, [%1];" : "=r"(a) : "l"(in + i));
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.b32 %0, [%1];" : "=r"(b) : "l"(in + i));
    asm volatile("ld.global.L2::256B.v2.u32 {%0, %1}, [%2];"
                 : "=r"(c), "=r"(d)
                 : "l"(in + i / 2 * 2));
    asm volatile(
        "{ .reg .b64 policy;\n\t"
        "createpolicy.fractional.L2::evict_first.b64 policy, 0.5;\n\t"
        "ld.global.L2::cache_hint.b32 %0, [%2], policy;\n\t"
        "st.global.L2::cache_hint.b32 [%3], %4, policy;\n\t"
        "atom.global.add.L2::cache_hint.u32 %1, [%3], 5, policy; }"
        : "=r"(e), "=r"(f)
        : "l"(in + i), "l"(out + kThreads + i), "r"(i)
        : "memory");
    out[i] = a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6;
}
__global__ void prefetches(int* out, const int* in) {
    const int i = threadIdx.x;
    asm volatile("prefetch.global.L1 [%0];" ::"l"(in + i));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in + i));
    asm volatile("prefetchu.L1 [%0];" ::"l"(in + i));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in));
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(out + 128) : "memory");
    out[i] = in[i];
}
__global__ void volatiles(volatile int* out, volatile const int* in) {
    __shared__ volatile int tile[kThreads];
    const int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    out[i] = tile[kThreads - 1 - i] + in[i];
}
__global__ void ordered(int* out, const int* in) {
    const int i = threadIdx.x;
    int a, b, c;
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(a) : "l"(in + i) : "memory");
    asm volatile("ld.acquire.sys.global.b32 %0, [%1];" : "=r"(b) : "l"(in + i) : "memory");
    asm volatile("ld.acquire.cta.b32 %0, [%1];" : "=r"(c) : "l"(in + i) : "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("fence.sc.sys;" ::: "memory");
    asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(out + i), "r"(a + b * 2) : "memory");
    asm volatile("st.relaxed.sys.b32 [%0], %1;" ::"l"(out + kThreads + i), "r"(c * 3) : "memory");
    __threadfence_block();
    __threadfence_system();
}
__global__ void standard(cuda::atomic<int, cuda::thread_scope_device>* sum, unsigned* most) {
    sum->fetch_add(threadIdx.x, cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned, cuda::thread_scope_system> reference(*most);
    reference.fetch_max(threadIdx.x * 3 % 64, cuda::memory_order_acq_rel);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}

int main() {
    const std::vector<int> values = for_threads<int>(2 * kThreads, [](int i) { return i * i + 1; });
    DeviceArray<int> in(values), out(4 * kThreads);
    const auto result = [&](int count) {
        std::vector<int> all = out.read();
        all.resize(count);
        return all;
    };
    load_hints<<<1, kThreads>>>(out, in);
    expect_equal("load hints", result(kThreads), for_threads<int>(kThreads, [&](int i) {
                     return values[i] * 15 + values[i / 4 * 4] + values[i / 4 * 4 + 3] * 7;
                 }));
    store_hints<<<1, kThreads>>>(out);
    expect_equal("store hints", result(4 * kThreads),
                 for_threads<int>(4 * kThreads, [](int i) { return i / 4 + i % 4; }));
    {
        const auto floats = for_threads<float>(2 * kThreads, [](int i) { return i * 0.5f; });
        DeviceArray<float> from(floats), to(kThreads);
        read_only<<<1, kThreads>>>(to, from);
        expect_equal("read-only loads", to.read(), for_threads<float>(kThreads, [&](int i) {
                         return floats[2 * i] * 2 + floats[2 * i + 1] + floats[i];
                     }));
    }
    evictions<<<1, kThreads>>>(out, in);
    expect_equal("eviction and level hints", result(2 * kThreads),
                 for_threads<int>(2 * kThreads, [&](int k) {
                     const int i = k % kThreads;
                     return k >= kThreads ? i + 5
                                          : values[i] * 8 + values[i / 2 * 2] * 3 +
                                                values[i / 2 * 2 + 1] * 4 + i * 6;
                 }));
    prefetches<<<1, kThreads>>>(out, in);
    expect_equal("prefetch and discard", result(kThreads),
                 std::vector<int>(values.begin(), values.begin() + kThreads));
    volatiles<<<1, kThreads>>>(out, in);
    expect_equal("volatile", result(kThreads), for_threads<int>(kThreads, [&](int i) {
                     return values[kThreads - 1 - i] + values[i];
                 }));
    ordered<<<1, kThreads>>>(out, in);
    expect_equal("relaxed, acquire, release", result(2 * kThreads),
                 for_threads<int>(2 * kThreads, [&](int i) { return values[i % kThreads] * 3; }));
    DeviceArray<int> sum({0});
    DeviceArray<unsigned> most({0u});
    standard<<<2, kThreads>>>(
        reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(static_cast<int*>(sum)),
        most);
    expect_equal<int>("cuda::atomic", {sum.read()[0], static_cast<int>(most.read()[0])},
                      {kThreads * (kThreads - 1), 63});
}
