// Sorting networks, steps of a radix sort, and merging.
#include "tutorial.h"

using namespace tutorial;

namespace {

constexpr int kThreads = 256;

/// Checks that the output is the input with each group of `run` elements sorted.
std::string compare_sorted(const Buffer<int>& out, const Buffer<int>& in, std::size_t run) {
    std::vector<int> sorted = in.start();
    for (std::size_t i = 0; i < sorted.size(); i += run)
        std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(i),
                  sorted.begin() + static_cast<std::ptrdiff_t>(i + run));
    return compare(out, [&](std::size_t i) { return sorted[i]; });
}

/// Returns an example that launches kernel(data), which sorts `run` elements per block.
template <class Kernel>
Example sort_of_blocks(Kernel kernel, int n, int run, int threads) {
    const Buffer<int> data = integers(n, 1'000'000);
    return {[=] { kernel<<<n / run, threads>>>(data.get()); },
            [=] { return compare_sorted(data, data, static_cast<std::size_t>(run)); },
            [=] { data.restore(); }};
}

__device__ void order(int& a, int& b, bool is_ascending) {
    if ((a > b) == is_ascending) {
        const int kept = a;
        a = b;
        b = kept;
    }
}

}  // namespace

// Performs one step of a bitonic network on all elements.
__global__ void bitonic_step(int* data, int distance, int run) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (other <= i) return;
    const int a = data[i], b = data[other];
    if ((a > b) == ((i & run) == 0)) {
        data[i] = b;
        data[other] = a;
    }
}

namespace {

Example bitonic_step_of(int distance, int run) {
    const int n = pick(1 << 23, 1 << 16);
    const Buffer<int> data = integers(n, 1'000'000);
    return {[=] { bitonic_step<<<n / kThreads, kThreads>>>(data, distance, run); },
            [=] {
                std::vector<int> values = data.start();
                for (int i = 0; i < n; ++i) {
                    const int other = i ^ distance;
                    if (other <= i) continue;
                    int &a = values[static_cast<std::size_t>(i)],
                        &b = values[static_cast<std::size_t>(other)];
                    if ((a > b) == ((i & run) == 0)) std::swap(a, b);
                }
                return compare(data, [&](std::size_t i) { return values[i]; });
            },
            [=] { data.restore(); }};
}

}  // namespace

EXAMPLE(bitonic_step_far) {
    return bitonic_step_of(1 << 12, 1 << 13);
}
EXAMPLE(bitonic_step_near) {
    return bitonic_step_of(4, 1 << 4);
}

// Sorts each block's elements in shared memory, with one element per thread.
__global__ void bitonic_shared(int* data) {
    __shared__ int s[512];
    const int t = threadIdx.x;
    s[t] = data[blockIdx.x * 512 + t];
    __syncthreads();
    for (int run = 2; run <= 512; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            const int other = t ^ distance;
            if (other > t) order(s[t], s[other], (t & run) == 0);
            __syncthreads();
        }
    }
    data[blockIdx.x * 512 + t] = s[t];
}
EXAMPLE(bitonic_shared) {
    return sort_of_blocks(bitonic_shared, pick(1 << 20, 1 << 14), 512, 512);
}

// Sorts each block's elements with two elements per thread, as NVIDIA's sample does.
__global__ void bitonic_shared_pairs(int* data) {
    __shared__ int s[512];
    const int t = threadIdx.x;
    s[t] = data[blockIdx.x * 512 + t];
    s[t + 256] = data[blockIdx.x * 512 + t + 256];
    for (int run = 2; run <= 512; run *= 2) {
        const bool is_ascending = (t & run / 2) == 0 || run == 512;
        for (int distance = run / 2; distance > 0; distance /= 2) {
            __syncthreads();
            const int at = 2 * t - (t & (distance - 1));
            order(s[at], s[at + distance], is_ascending);
        }
    }
    __syncthreads();
    data[blockIdx.x * 512 + t] = s[t];
    data[blockIdx.x * 512 + t + 256] = s[t + 256];
}
EXAMPLE(bitonic_shared_pairs) {
    return sort_of_blocks(bitonic_shared_pairs, pick(1 << 20, 1 << 14), 512, 256);
}

// Sorts 32 elements per warp with shuffles.
__global__ void bitonic_warp(int* data) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = data[i];
    for (int run = 2; run <= 32; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            const int other = __shfl_xor_sync(0xffffffffu, value, distance);
            const bool takes_smaller = ((lane & distance) == 0) == ((lane & run) == 0);
            value = takes_smaller ? min(value, other) : max(value, other);
        }
    }
    data[i] = value;
}
EXAMPLE(bitonic_warp) {
    const int n = pick(1 << 23, 1 << 15);
    const Buffer<int> data = integers(n, 1'000'000);
    return {[=] { bitonic_warp<<<n / kThreads, kThreads>>>(data); },
            [=] { return compare_sorted(data, data, 32); }, [=] { data.restore(); }};
}

// Sorts by odd-even transposition, which alternately compares even and odd pairs of adjacent
// elements.
__global__ void odd_even_shared(int* data) {
    __shared__ int s[256];
    const int t = threadIdx.x, first = blockIdx.x * 256;
    s[t] = data[first + t];
    s[t + 128] = data[first + t + 128];
    __syncthreads();
    for (int turn = 0; turn < 256; ++turn) {
        const int at = 2 * t + turn % 2;
        if (at + 1 < 256) order(s[at], s[at + 1], true);
        __syncthreads();
    }
    data[first + t] = s[t];
    data[first + t + 128] = s[t + 128];
}
EXAMPLE(odd_even_shared) {
    return sort_of_blocks(odd_even_shared, pick(1 << 18, 1 << 12), 256, 128);
}

// Performs one step of the odd-even sort on all elements.
__global__ void odd_even_step(int* data, int n) {
    const int at = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (at + 1 >= n) return;
    if (data[at] > data[at + 1]) {
        const int kept = data[at];
        data[at] = data[at + 1];
        data[at + 1] = kept;
    }
}
EXAMPLE(odd_even_step) {
    const int n = pick(1 << 23, 1 << 15);
    const Buffer<int> data = integers(n, 1'000'000);
    return {[=] { odd_even_step<<<n / 2 / kThreads, kThreads>>>(data, n); },
            [=] { return compare_sorted(data, data, 2); }, [=] { data.restore(); }};
}

// Sorts eight elements per thread in registers with a sorting network.
__global__ void sort_eight_in_registers(int* data) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = data[8 * i + k];
#pragma unroll
    for (int turn = 0; turn < 8; ++turn) {
#pragma unroll
        for (int k = turn % 2; k < 7; k += 2) order(v[k], v[k + 1], true);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) data[8 * i + k] = v[k];
}
EXAMPLE(sort_eight_in_registers) {
    const int n = pick(1 << 23, 1 << 15);
    const Buffer<int> data = integers(n, 1'000'000);
    return {[=] { sort_eight_in_registers<<<n / 8 / kThreads, kThreads>>>(data); },
            [=] { return compare_sorted(data, data, 8); }, [=] { data.restore(); }};
}

// Sorts one array per thread by insertion, in local memory.
__global__ void insertion_sort_local(int* data) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    int v[16];
    for (int k = 0; k < 16; ++k) {
        const int value = data[first + k];
        int at = k;
        while (at > 0 && v[at - 1] > value) {
            v[at] = v[at - 1];
            --at;
        }
        v[at] = value;
    }
    for (int k = 0; k < 16; ++k) data[first + k] = v[k];
}
EXAMPLE(insertion_sort_local) {
    const int n = pick(1 << 21, 1 << 14);
    const Buffer<int> data = integers(n, 1'000'000);
    return {[=] { insertion_sort_local<<<n / 16 / 128, 128>>>(data); },
            [=] { return compare_sorted(data, data, 16); }, [=] { data.restore(); }};
}

// Moves each element to its rank, the number of smaller elements.
__global__ void rank_sort(int* out, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
    int rank = 0;
    for (int k = 0; k < n; ++k) rank += in[k] < value || (in[k] == value && k < i);
    out[rank] = value;
}
EXAMPLE(rank_sort) {
    const int n = pick(1 << 13, 1 << 10);
    const Buffer<int> in = integers(n, 1'000'000), out = zeros<int>(n);
    return {[=] { rank_sort<<<n / 128, 128>>>(out, in, n); },
            [=] { return compare_sorted(out, in, in.size()); }};
}

// Counts the digits in each block, as in the first pass of a radix sort.
__global__ void radix_count(int* counts, const unsigned* in, int shift) {
    __shared__ int s[16];
    if (threadIdx.x < 16) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(s + (in[blockIdx.x * blockDim.x + threadIdx.x] >> shift & 15), 1);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = s[threadIdx.x];
}
EXAMPLE(radix_count) {
    const int n = pick(1 << 22, 1 << 15), blocks = n / kThreads;
    const auto in = integers<unsigned>(n, 0xffffffffu);
    const Buffer<int> counts = zeros<int>(16 * blocks);
    const auto expected = [=](std::size_t i) {
        const std::size_t digit = i / static_cast<std::size_t>(blocks),
                          first = i % static_cast<std::size_t>(blocks) * kThreads;
        return std::count_if(in.start().begin() + first, in.start().begin() + first + kThreads,
                             [=](unsigned value) { return (value >> 8 & 15) == digit; });
    };
    return {[=] { radix_count<<<blocks, kThreads>>>(counts, in, 8); },
            [=] { return compare(counts, expected); }};
}

// Splits each block by one bit, stably: elements whose bit is 0 move to the
// front.
__global__ void radix_split_block(unsigned* data, int bit) {
    __shared__ int zeros_before[kThreads];
    __shared__ unsigned s[kThreads];
    const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
    const unsigned value = data[i];
    const int is_zero = (value >> bit & 1) == 0;
    zeros_before[t] = is_zero;
    __syncthreads();
    for (int offset = 1; offset < kThreads; offset *= 2) {
        const int before = t >= offset ? zeros_before[t - offset] : 0;
        __syncthreads();
        zeros_before[t] += before;
        __syncthreads();
    }
    const int zeros_up_to_here = zeros_before[t], all_zeros = zeros_before[kThreads - 1];
    s[is_zero ? zeros_up_to_here - 1 : all_zeros + t - zeros_up_to_here] = value;
    __syncthreads();
    data[i] = s[t];
}
EXAMPLE(radix_split_block) {
    const int n = pick(1 << 21, 1 << 14);
    const auto data = integers<unsigned>(n, 0xffffffffu);
    return {[=] { radix_split_block<<<n / kThreads, kThreads>>>(data, 3); },
            [=] {
                std::vector<unsigned> values = data.start();
                for (auto first = values.begin(); first != values.end(); first += kThreads)
                    std::stable_partition(first, first + kThreads,
                                          [](unsigned value) { return (value >> 3 & 1) == 0; });
                return compare(data, [&](std::size_t i) { return values[i]; });
            },
            [=] { data.restore(); }};
}

// Moves each element to the next free index of its bucket.
__global__ void bucket_scatter(int* out, int* next, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[atomicAdd(next + in[i] / 4096, 1)] = in[i];
}
EXAMPLE(bucket_scatter) {
    const int n = pick(1 << 21, 1 << 15), buckets = 256;
    const Buffer<int> in = integers(n, static_cast<unsigned>(buckets * 4096)), out = zeros<int>(n);
    std::vector<int> starts(static_cast<std::size_t>(buckets) + 1);
    for (const int value : in.start()) ++starts[static_cast<std::size_t>(value / 4096) + 1];
    for (std::size_t b = 1; b < starts.size(); ++b) starts[b] += starts[b - 1];
    const Buffer<int> next = starts;
    return {[=] { bucket_scatter<<<n / kThreads, kThreads>>>(out, next, in, n); },
            [=] {
                std::vector<int> found = out.read();
                std::sort(found.begin(), found.end());
                std::vector<int> buckets_found;
                for (const int value : out.read()) buckets_found.push_back(value / 4096);
                return compare(buckets_found, [&](std::size_t i) { return found[i] / 4096; });
            },
            [=] { next.restore(); }};
}

// Merges two sorted arrays. Each element searches for its position in the other array.
__global__ void merge_by_search(int* out, const int* a, const int* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int *mine = i < n ? a : b, *other = i < n ? b : a, at = i < n ? i : i - n,
              value = mine[at];
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (other[middle] < value || (i >= n && other[middle] == value))
            low = middle + 1;
        else
            high = middle;
    }
    out[at + low] = value;
}
EXAMPLE(merge_by_search) {
    const int n = pick(1 << 20, 1 << 13);
    const auto sorted = [=](unsigned seed) {
        std::vector<int> values = integers(n, 1'000'000, seed).start();
        std::sort(values.begin(), values.end());
        return Buffer<int>(values);
    };
    const Buffer<int> a = sorted(1), b = sorted(2), out = zeros<int>(2 * n);
    return {[=] { merge_by_search<<<2 * n / kThreads, kThreads>>>(out, a, b, n); },
            [=] {
                std::vector<int> all = a.start();
                all.insert(all.end(), b.start().begin(), b.start().end());
                std::sort(all.begin(), all.end());
                return compare(out, [&](std::size_t i) { return all[i]; });
            }};
}

// Sorts keys with values.
__global__ void sort_pairs_shared(int2* data) {
    __shared__ int2 s[256];
    const int t = threadIdx.x;
    s[t] = data[blockIdx.x * 256 + t];
    __syncthreads();
    for (int run = 2; run <= 256; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            const int other = t ^ distance;
            if (other > t) {
                const int2 a = s[t], b = s[other];
                if ((a.x > b.x) == ((t & run) == 0)) {
                    s[t] = b;
                    s[other] = a;
                }
            }
            __syncthreads();
        }
    }
    data[blockIdx.x * 256 + t] = s[t];
}
EXAMPLE(sort_pairs_shared) {
    const int n = pick(1 << 20, 1 << 13);
    const auto data = filled(n, [](std::size_t i) {
        return make_int2(static_cast<int>(noise(i) % 1000), static_cast<int>(i));
    });
    return {[=] { sort_pairs_shared<<<n / 256, 256>>>(data); },
            [=] {
                std::vector<int> expected, found;
                for (const int2& pair : data.start()) expected.push_back(pair.x);
                for (auto first = expected.begin(); first != expected.end(); first += 256)
                    std::sort(first, first + 256);
                for (const int2& pair : data.read()) {
                    const auto from = static_cast<std::size_t>(pair.y);
                    found.push_back(data.start(from).x == pair.x ? pair.x : -1);
                }
                return compare(found, [&](std::size_t i) { return expected[i]; });
            },
            [=] { data.restore(); }};
}
