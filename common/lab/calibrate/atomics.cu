// Atomic additions: how many cycles of a multiprocessor a warp's request takes, by how many addresses its lanes and
// the other warps meet at, in global and in shared memory.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

constexpr int kRequests = 64;
constexpr unsigned kThreads = 256, kSharedWords = 4096;

/// `addresses`: how many there are for the whole grid; lanes take them in turn, `stride` words apart.
template <class T, bool RETURNS>
__global__ void add_in_global_memory(T* words, unsigned addresses, unsigned stride, void* sink) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int k = 0; k < kRequests; ++k) {
        const unsigned at = (thread + static_cast<unsigned>(k) * 97 * 32) % addresses;
        const T old = atomicAdd(words + std::size_t{at} * stride, T(1));
        if (RETURNS) sum += old;
    }
    if (RETURNS) use(static_cast<unsigned>(sum), sink);
}

template <class T>
__global__ void add_in_shared_memory(unsigned addresses, unsigned stride, void* sink,
                                     std::uint64_t* notes) {
    __shared__ T words[kSharedWords];
    for (unsigned i = threadIdx.x; i < kSharedWords; i += blockDim.x) words[i] = 0;
    long long cycles = 0;
    for (int time = 0; time < 2; ++time) {
        __syncthreads();
        const long long start = cycles_now();
        for (int k = 0; k < kRequests; ++k)
            atomicAdd(words + (threadIdx.x % addresses) * stride % kSharedWords, T(1));
        __syncthreads();
        cycles = cycles_now() - start;
    }
    if (threadIdx.x == 0) notes[0] = static_cast<std::uint64_t>(cycles);
    use(static_cast<unsigned>(words[threadIdx.x]), sink);
}

template <class T, bool RETURNS>
void measure_global(Bench& bench, Raw& raw, const char* what) {
    const auto blocks = static_cast<unsigned>(bench.multiprocessors()) * 8;
    for (const unsigned stride : {1u, 8u}) {
        for (const unsigned addresses :
             {1u, 2u, 8u, 32u, 256u, 4096u, 65536u, 1048576u, 8388608u}) {
            const double ms = bench.ms([&] {
                add_in_global_memory<T, RETURNS><<<blocks, kThreads>>>(
                    reinterpret_cast<T*>(bench.out()), addresses, stride, bench.in());
            });
            const double requests = double{kRequests} * 8 * kThreads / 32;
            raw.atomics.push_back({what, static_cast<double>(addresses),
                                   static_cast<double>(stride),
                                   bench.cycles_at_rest(ms) / requests});
        }
    }
}

template <class T>
void measure_shared_atomics(Bench& bench, Raw& raw, const char* what) {
    for (const unsigned stride : {1u, 32u}) {
        for (const unsigned addresses : {1u, 2u, 4u, 8u, 16u, 32u, 256u}) {
            add_in_shared_memory<T><<<1, 1024>>>(addresses, stride, bench.out(), bench.notes());
            CUDA_CHECK(cudaGetLastError());
            CUDA_CHECK(cudaDeviceSynchronize());
            raw.atomics.push_back(
                {what, static_cast<double>(addresses), static_cast<double>(stride),
                 static_cast<double>(bench.read_notes(1)[0]) / (double{kRequests} * 1024 / 32)});
        }
    }
}

}  // namespace

void measure_atomics(Bench& bench, Raw& raw) {
    measure_global<unsigned, false>(bench, raw, "global add of u32");
    measure_global<unsigned, true>(bench, raw, "global add of u32, old value wanted");
    measure_global<float, false>(bench, raw, "global add of f32");
    measure_shared_atomics<unsigned>(bench, raw, "shared add of u32");
    measure_shared_atomics<float>(bench, raw, "shared add of f32");
}

}  // namespace coalesce::timing
