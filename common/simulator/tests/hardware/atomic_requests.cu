// Runs every atomic instruction with every address pattern. Each launch runs one atomic in one
// warp. The table in unit/counters_test.cpp lists what Nsight Compute measured on an H200.
//
//     nvcc -arch=sm_90 -std=c++20 -o atomics atomic_requests.cu
//     ncu --clock-control none --csv --page raw --metrics METRICS ./atomics
//
// where METRICS is l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum, ..._op_red.sum, the same with
// `sectors`, and l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum.
#include <cstdio>

using u32 = unsigned;
using u64 = unsigned long long;

/// An access pattern, in which lane l uses element l / divisor % modulus * factor.
struct Pattern {
    u32 factor, divisor, modulus, active;
};
constexpr u32 kAll = ~0u;
constexpr Pattern kPatterns[] = {{1, 1, 32, kAll},  {1, 1, 1, kAll},  {1, 2, 32, kAll},
                                 {1, 4, 32, kAll},  {2, 1, 32, kAll}, {4, 1, 32, kAll},
                                 {32, 1, 32, kAll}, {1, 1, 16, kAll}, {32, 1, 2, kAll},
                                 {8, 1, 32, 0xff},  {1, 1, 1, 0xf}};

enum class Kind {
    add,
    add_and_return,
    exchange,
    compare,
    maximum,
    add_float,
    add_64,
    add_64_and_return,
    count
};
constexpr int kKinds = static_cast<int>(Kind::count);

/// Applies an atomic to an element. Returns the old value, or 0 if the instruction returns none.
template <Kind K>
__device__ u64 change(u64* memory, u32 element, u32 value) {
    u32* const words = reinterpret_cast<u32*>(memory);
    if (K == Kind::add) atomicAdd(words + element, value);
    if (K == Kind::add_and_return) return atomicAdd(words + element, value);
    if (K == Kind::exchange) return atomicExch(words + element, value);
    if (K == Kind::compare) return atomicCAS(words + element, value, threadIdx.x);
    if (K == Kind::maximum) return atomicMax(words + element, value);
    if (K == Kind::add_float) atomicAdd(reinterpret_cast<float*>(words + element), float(value));
    if (K == Kind::add_64) atomicAdd(memory + element, u64{value});
    if (K == Kind::add_64_and_return) return atomicAdd(memory + element, u64{value});
    return 0;
}

/// Runs one atomic. `memory` contains only zeros, but the compiler does not know this. The words
/// after the elements supply operands and receive results, so that no result is optimised away.
template <Kind K, bool InShared>
__global__ void one(u64* memory, Pattern pattern) {
    __shared__ u64 tile[1024];
    constexpr int kValues = 4096, kResults = 6000;
    const u32 lane = threadIdx.x, value = static_cast<u32>(memory[lane + kValues]);
    if (!(pattern.active >> lane & 1)) return;
    const u32 element = lane / pattern.divisor % pattern.modulus * pattern.factor;
    const u64 old = change<K>(InShared ? tile : memory, element, value);
    if (InShared) {
        __syncwarp();
        if (tile[value] == 77) memory[kResults + 100] = 1;
    }
    if (old == 77) memory[kResults + lane] = old;
}

template <int N>
void launch_all(u64* memory) {
    constexpr Kind kind = static_cast<Kind>(N % kKinds);
    for (const Pattern& pattern : kPatterns) one<kind, (N >= kKinds)><<<1, 32>>>(memory, pattern);
    if constexpr (N + 1 < 2 * kKinds) launch_all<N + 1>(memory);
}

int main() {
    u64* memory;
    cudaMalloc(&memory, 1 << 20);
    cudaMemset(memory, 0, 1 << 20);
    launch_all<0>(memory);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
