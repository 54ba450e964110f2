// Shared memory and the first-level cache: cycles for a request of a warp, by bytes per lane and by the stride
// between lanes. One pass per cycle is what both can do; requests that need more passes show how many.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

constexpr int requests = 1024;
constexpr std::size_t shared_words = 8192;

template <int BYTES>
__device__ unsigned load_shared(unsigned at) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if constexpr (BYTES == 4) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
    if constexpr (BYTES == 8) {
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
    }
    if constexpr (BYTES == 16) {
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at));
    }
    return a ^ b ^ c ^ d;
}
template <int BYTES>
__device__ void store_shared(unsigned at) {
    if constexpr (BYTES == 4) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(0));
    if constexpr (BYTES == 8) {
        asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(0));
    }
    if constexpr (BYTES == 16) {
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(0));
    }
}
template <int BYTES>
__device__ unsigned load_first_level(const char* at) {
    Word<BYTES> v;
    if constexpr (BYTES == 4) {
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    } else if constexpr (BYTES == 8) {
        asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];"
                     : "=r"(v.x), "=r"(v.y)
                     : "l"(at)
                     : "memory");
    } else {
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(at)
                     : "memory");
    }
    return mixed(v);
}

enum class Kind { shared_load, shared_store, first_level };

/// `stride`: words of BYTES between lanes, less than 32 KiB in all.
template <Kind KIND, int BYTES>
__global__ void __launch_bounds__(1024)
    ask_again_and_again(int stride, const char* global, void* sink, std::uint64_t* notes) {
    __shared__ uint4 words[shared_words / 4];
    for (unsigned i = threadIdx.x; i < shared_words / 4; i += blockDim.x) words[i] = {};
    const unsigned offset = threadIdx.x % 32 * static_cast<unsigned>(stride * BYTES);
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(words)) + offset;
    // Loads of one address might be made one: four places in turn, which the cache holds all.
    unsigned place = 0;
    unsigned sum = 0;
    long long cycles = 0;
    for (int time = 0; time < 2; ++time) {
        __syncthreads();
        const long long start = cycles_now();
#pragma unroll 8
        for (int i = 0; i < requests; ++i) {
            if (KIND == Kind::shared_load) sum ^= load_shared<BYTES>(at);
            if (KIND == Kind::shared_store) store_shared<BYTES>(at);
            if (KIND == Kind::first_level) {
                sum ^= load_first_level<BYTES>(global + offset + place);
                place = (place + 16384) & 49152;
            }
        }
        __syncthreads();
        cycles = cycles_now() - start;
    }
    if (threadIdx.x == 0) notes[0] = static_cast<std::uint64_t>(cycles);
    use(sum, sink);
}

template <Kind KIND, int BYTES>
void measure(Bench& bench, Raw& raw, const char* what) {
    for (int stride = 1; stride <= 32; stride *= 2) {
        constexpr int threads = 1024;
        ask_again_and_again<KIND, BYTES>
            <<<1, threads>>>(stride, bench.in(), bench.out(), bench.notes());
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        raw.requests.push_back(
            {what, BYTES, stride,
             static_cast<double>(bench.read_notes(1)[0]) / (double{requests} * threads / 32)});
    }
}

}  // namespace

void measure_shared(Bench& bench, Raw& raw) {
    measure<Kind::shared_load, 4>(bench, raw, "shared load");
    measure<Kind::shared_load, 8>(bench, raw, "shared load");
    measure<Kind::shared_load, 16>(bench, raw, "shared load");
    measure<Kind::shared_store, 4>(bench, raw, "shared store");
    measure<Kind::shared_store, 8>(bench, raw, "shared store");
    measure<Kind::shared_store, 16>(bench, raw, "shared store");
    measure<Kind::first_level, 4>(bench, raw, "first level");
    measure<Kind::first_level, 8>(bench, raw, "first level");
    measure<Kind::first_level, 16>(bench, raw, "first level");
}

}  // namespace coalesce::timing
