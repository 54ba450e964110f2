// Copies into shared memory that a warp need not wait for (cp.async, and bulk copies of compute capability 9.0),
// beside plain loads: cycles from the request until the data can be used, when nothing else is under way; and
// how long a bulk store keeps its source. No parameter follows from it yet.
#include "harness/flush.h"
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

enum class How { load, async, bulk, bulk_asking, bulk_store_read, bulk_store };

constexpr int trials = 64;
constexpr std::size_t apart = 64 << 10;
constexpr std::size_t most_bytes = 32 << 10;

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

template <int BYTES>
__device__ void copy_async([[maybe_unused]] unsigned to, [[maybe_unused]] const char* from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    if constexpr (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES)
                     : "memory");
    }
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
#endif
}

// Where there are no bulk copies, nobody asks for them.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ void make_barrier(unsigned barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
/// try_wait may sleep for a while; test_wait (IS_ASKING) answers at once.
template <bool IS_ASKING>
__device__ void bulk_load(unsigned to, const char* from, unsigned bytes, unsigned barrier,
                          unsigned parity) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
    unsigned is_done = 0;
    while (is_done == 0) {
        if constexpr (IS_ASKING) {
            asm volatile(
                "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                "  selp.u32 %0, 1, 0, p; }"
                : "=r"(is_done)
                : "r"(barrier), "r"(parity)
                : "memory");
        } else {
            asm volatile(
                "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                "  selp.u32 %0, 1, 0, p; }"
                : "=r"(is_done)
                : "r"(barrier), "r"(parity)
                : "memory");
        }
    }
}
template <bool WAITS_FOR_READ>
__device__ void bulk_store(char* to, unsigned from, unsigned bytes) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    if (WAITS_FOR_READ) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    if (!WAITS_FOR_READ) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
#else
__device__ void make_barrier(unsigned) {}
template <bool IS_ASKING>
__device__ void bulk_load(unsigned, const char*, unsigned, unsigned, unsigned) {}
template <bool WAITS_FOR_READ>
__device__ void bulk_store(char*, unsigned, unsigned) {}
#endif

/// One warp, one copy at a time. Lines around what is copied are read first, so that the tables of pages are
/// known; with `is_warm` also what is copied.
template <How HOW, int BYTES>
__global__ void copy_one_by_one(char* data, unsigned bytes, bool is_warm, std::uint64_t* notes) {
    extern __shared__ uint4 space[];
    __shared__ std::uint64_t barrier;
    const unsigned to = shared_address(space), bar = shared_address(&barrier);
    if (threadIdx.x == 0) make_barrier(bar);
    __syncwarp();
    unsigned sum = 0;
    long long cycles = 0;
    for (int trial = 0; trial < trials; ++trial) {
        char* from = data + trial * apart;
        sum ^= __ldcg(reinterpret_cast<unsigned*>(from + most_bytes) + threadIdx.x);
        for (unsigned i = 4 * threadIdx.x; is_warm && i < bytes; i += 128) {
            sum ^= __ldcg(reinterpret_cast<unsigned*>(from + i));
        }
        if (__any_sync(~0u, sum == 0x9e3779b9u)) use(sum, data);
        const long long start = cycles_now();
        if constexpr (HOW == How::load) {
            sum ^= mixed(__ldcg(reinterpret_cast<Word<BYTES>*>(from) + threadIdx.x));
        } else if constexpr (HOW == How::async) {
            copy_async<BYTES>(to + BYTES * threadIdx.x, from + BYTES * threadIdx.x);
        } else if constexpr (HOW == How::bulk || HOW == How::bulk_asking) {
            if (threadIdx.x == 0) {
                bulk_load<HOW == How::bulk_asking>(to, from, bytes, bar, trial & 1);
            }
        } else if (threadIdx.x == 0) {
            bulk_store<HOW == How::bulk_store_read>(from, to, bytes);
        }
        if (__any_sync(~0u, sum == 0x9e3779b9u)) use(sum, data);
        // The first one is for the instruction cache.
        if (trial > 0) cycles += cycles_now() - start;
    }
    if (threadIdx.x == 0) notes[0] = static_cast<std::uint64_t>(cycles);
}

template <How HOW, int BYTES>
void measure(Bench& bench, Raw& raw, const char* how, unsigned bytes) {
    for (const bool is_warm : {false, true}) {
        flush_by_reading(bench.out(), bench.bytes());
        const auto kernel = copy_one_by_one<HOW, BYTES>;
        allow_shared(kernel, most_bytes);
        kernel<<<1, 32, most_bytes>>>(bench.in(), bytes, is_warm, bench.notes());
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        raw.async_copies.push_back({how, is_warm ? "second level" : "memory",
                                    static_cast<double>(bytes),
                                    static_cast<double>(bench.read_notes(1)[0]) / (trials - 1)});
    }
}

}  // namespace

void measure_async(Bench& bench, Raw& raw) {
    measure<How::load, 4>(bench, raw, "load", 128);
    measure<How::load, 16>(bench, raw, "load", 512);
    if (bench.compute() >= 80) {
        measure<How::async, 4>(bench, raw, "cp.async 4", 128);
        measure<How::async, 16>(bench, raw, "cp.async 16", 512);
    }
    if (bench.compute() < 90) return;
    for (const unsigned bytes : {128u, 512u, 2048u, 4096u, 8192u, 16384u, 32768u}) {
        measure<How::bulk, 16>(bench, raw, "bulk, try_wait", bytes);
        measure<How::bulk_asking, 16>(bench, raw, "bulk, test_wait", bytes);
        measure<How::bulk_store_read, 16>(bench, raw, "bulk store, until read", bytes);
        measure<How::bulk_store, 16>(bench, raw, "bulk store, until written", bytes);
    }
}

}  // namespace coalesce::timing
