// Histograms, counters and compaction: many threads update the same word.
#include "tutorial.h"

using namespace tutorial;

namespace {

constexpr int kThreads = 256, kBins = 256;

std::vector<int> counts_of(const std::vector<unsigned char>& in, int bins = kBins) {
    std::vector<int> counts(static_cast<std::size_t>(bins));
    for (const unsigned char value : in) ++counts[value % static_cast<unsigned>(bins)];
    return counts;
}

/// Creates an example that launches kernel(counts, in, n), which counts bytes.
template <class Kernel>
Example byte_histogram(Kernel kernel, int blocks, int n) {
    const auto in = integers<unsigned char>(n, 256);
    const Buffer<int> counts = zeros<int>(kBins);
    const std::vector<int> expected = counts_of(in.start());
    return {[=] { kernel<<<blocks, kThreads>>>(counts.get(), in.get(), n); },
            [=] { return compare(counts, [&](std::size_t i) { return expected[i]; }); },
            [=] { counts.restore(); }};
}

bool is_kept(int value) {
    return value < 30;
}

/// Compares the output with the elements that must be kept. Their order does not matter.
std::string compare_kept(const Buffer<int>& out, const Buffer<int>& count, const Buffer<int>& in) {
    std::vector<int> expected, found = out.read();
    for (const int value : in.start())
        if (is_kept(value)) expected.push_back(value);
    const auto kept = static_cast<std::size_t>(count.read()[0]);
    if (kept != expected.size())
        return mismatch(0, static_cast<double>(expected.size()), static_cast<double>(kept));
    found.resize(kept);
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    return compare(found, [&](std::size_t i) { return expected[i]; });
}

/// Creates an example that launches kernel(out, count, in, n), which keeps elements below 30.
template <class Kernel>
Example compaction(Kernel kernel, int n) {
    const Buffer<int> in = integers(n, 100), out = zeros<int>(n), count = zeros<int>(1);
    return {[=] { kernel<<<n / kThreads, kThreads>>>(out.get(), count.get(), in.get(), n); },
            [=] { return compare_kept(out, count, in); }, [=] { count.restore(); }};
}

}  // namespace

// Counts with atomics in global memory.
__global__ void histogram_global(int* counts, const unsigned char* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(counts + in[i], 1);
}
EXAMPLE(histogram_global) {
    const int n = pick(1 << 22, 1 << 15);
    return byte_histogram(histogram_global, n / kThreads, n);
}

// Counts in one histogram per block, in shared memory.
__global__ void histogram_shared(int* counts, const unsigned char* in, int n) {
    __shared__ int s[kBins];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(s + in[i], 1);
    __syncthreads();
    atomicAdd(counts + threadIdx.x, s[threadIdx.x]);
}
EXAMPLE(histogram_shared) {
    return byte_histogram(histogram_shared, pick(1056, 32), pick(1 << 24, 1 << 17));
}

// Counts bytes, loading four of them at a time as a word.
__global__ void histogram_words(int* counts, const unsigned char* in, int n) {
    __shared__ int s[kBins];
    s[threadIdx.x] = 0;
    __syncthreads();
    const unsigned* words = reinterpret_cast<const unsigned*>(in);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        const unsigned word = words[i];
        atomicAdd(s + (word & 255), 1);
        atomicAdd(s + (word >> 8 & 255), 1);
        atomicAdd(s + (word >> 16 & 255), 1);
        atomicAdd(s + (word >> 24), 1);
    }
    __syncthreads();
    atomicAdd(counts + threadIdx.x, s[threadIdx.x]);
}
EXAMPLE(histogram_words) {
    return byte_histogram(histogram_words, pick(1056, 32), pick(1 << 24, 1 << 17));
}

// Counts in one histogram per warp.
__global__ void histogram_warps(int* counts, const unsigned char* in, int n) {
    __shared__ int s[kThreads / 32][kBins];
    for (int k = threadIdx.x; k < kThreads / 32 * kBins; k += kThreads) (&s[0][0])[k] = 0;
    __syncthreads();
    int* mine = s[threadIdx.x / 32];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(mine + in[i], 1);
    __syncthreads();
    int sum = 0;
    for (int w = 0; w < kThreads / 32; ++w) sum += s[w][threadIdx.x];
    atomicAdd(counts + threadIdx.x, sum);
}
EXAMPLE(histogram_warps) {
    return byte_histogram(histogram_warps, pick(1056, 32), pick(1 << 24, 1 << 17));
}

// Counts few bins, with a byte counter per thread and bin, so that atomics are needed only at the
// end.
__global__ void histogram_byte_counters(int* counts, const unsigned char* in, int per_thread) {
    __shared__ unsigned char s[16][kThreads];
    for (int b = 0; b < 16; ++b) s[b][threadIdx.x] = 0;
    const int first = blockIdx.x * kThreads * per_thread + threadIdx.x;
    for (int k = 0; k < per_thread; ++k) ++s[in[first + k * kThreads] % 16][threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 16) {
        int sum = 0;
        for (int t = 0; t < kThreads; ++t) sum += s[threadIdx.x][t];
        atomicAdd(counts + threadIdx.x, sum);
    }
}
EXAMPLE(histogram_byte_counters) {
    const int n = pick(1 << 23, 1 << 16), per_thread = 32;
    const auto in = integers<unsigned char>(n, 256);
    const Buffer<int> counts = zeros<int>(16);
    const std::vector<int> expected = counts_of(in.start(), 16);
    return {[=] {
                histogram_byte_counters<<<n / kThreads / per_thread, kThreads>>>(counts, in,
                                                                                 per_thread);
            },
            [=] { return compare(counts, [&](std::size_t i) { return expected[i]; }); },
            [=] { counts.restore(); }};
}

// Counts floats in bins of equal width.
__global__ void histogram_floats(int* counts, const float* in, int n) {
    __shared__ int s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(s + static_cast<int>(in[i] * 64), 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(counts + threadIdx.x, s[threadIdx.x]);
}
EXAMPLE(histogram_floats) {
    const int n = pick(1 << 23, 1 << 16);
    const Buffer<float> in = floats(n);
    const Buffer<int> counts = zeros<int>(64);
    std::vector<int> expected(64);
    for (const float value : in.start()) ++expected[static_cast<std::size_t>(value * 64)];
    return {[=] { histogram_floats<<<pick(1056, 32), kThreads>>>(counts, in, n); },
            [=] { return compare(counts, [&](std::size_t i) { return expected[i]; }); },
            [=] { counts.restore(); }};
}

// Counts elements that all fall into one bin, which is the worst case for atomics.
__global__ void histogram_one_bin(int* counts, const unsigned char* in, int n) {
    __shared__ int s[kBins];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(s + in[i], 1);
    __syncthreads();
    if (s[threadIdx.x] > 0) atomicAdd(counts + threadIdx.x, s[threadIdx.x]);
}
EXAMPLE(histogram_one_bin) {
    const int n = pick(1 << 22, 1 << 15);
    const auto in = filled(n, [](std::size_t) { return static_cast<unsigned char>(7); });
    const Buffer<int> counts = zeros<int>(kBins);
    return {[=] { histogram_one_bin<<<pick(528, 16), kThreads>>>(counts, in, n); },
            [=] { return compare(counts, [=](std::size_t i) { return i == 7 ? n : 0; }); },
            [=] { counts.restore(); }};
}

// Compacts with a single global counter. Each kept element takes the next index from it.
__global__ void compact_atomic(int* out, int* count, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] < 30) out[atomicAdd(count, 1)] = in[i];
}
EXAMPLE(compact_atomic) {
    return compaction(compact_atomic, pick(1 << 20, 1 << 15));
}

// Compacts with one atomic per warp, which reserves indices for all of the warp's elements.
__global__ void compact_warp_aggregated(int* out, int* count, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const bool keeps = i < n && in[i] < 30;
    const unsigned kept = __ballot_sync(0xffffffffu, keeps);
    int first = 0;
    if (lane == 0 && kept != 0) first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (keeps) out[first + __popc(kept & ((1u << lane) - 1))] = in[i];
}
EXAMPLE(compact_warp_aggregated) {
    return compaction(compact_warp_aggregated, pick(1 << 22, 1 << 15));
}

// Compacts into shared memory first, and reserves output indices with one atomic per block.
__global__ void compact_block(int* out, int* count, const int* in, int n) {
    __shared__ int s[kThreads];
    __shared__ int kept, first;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] < 30) s[atomicAdd(&kept, 1)] = in[i];
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(count, kept);
    __syncthreads();
    if (threadIdx.x < kept) out[first + threadIdx.x] = s[threadIdx.x];
}
EXAMPLE(compact_block) {
    return compaction(compact_block, pick(1 << 22, 1 << 15));
}

// Counts the matches in each warp, and adds each count with one atomic.
__global__ void count_matches(int* count, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned found = __ballot_sync(0xffffffffu, i < n && in[i] == 42);
    if (threadIdx.x % 32 == 0 && found != 0) atomicAdd(count, __popc(found));
}
EXAMPLE(count_matches) {
    const int n = pick(1 << 24, 1 << 17);
    const Buffer<int> in = integers(n, 1000), count = zeros<int>(1);
    const auto expected = std::count(in.start().begin(), in.start().end(), 42);
    return {[=] { count_matches<<<n / kThreads, kThreads>>>(count, in, n); },
            [=] { return compare(count, [=](std::size_t) { return expected; }); },
            [=] { count.restore(); }};
}

// Computes the maximum of each group.
__global__ void group_maxima(int* most, const int* in, const unsigned char* group, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(most + group[i], in[i]);
}
EXAMPLE(group_maxima) {
    const int n = pick(1 << 21, 1 << 15);
    const Buffer<int> in = integers(n, 1'000'000), most = zeros<int>(256);
    const auto group = integers<unsigned char>(n, 256, 2);
    std::vector<int> expected(256);
    for (std::size_t i = 0; i < in.size(); ++i) {
        int& highest = expected[group.start(i)];
        highest = std::max(highest, in.start(i));
    }
    return {[=] { group_maxima<<<n / kThreads, kThreads>>>(most, in, group, n); },
            [=] { return compare(most, [&](std::size_t i) { return expected[i]; }); },
            [=] { most.restore(); }};
}

// Computes the maximum of floats with a compare-and-swap loop.
__global__ void max_by_exchange(float* most, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int* word = reinterpret_cast<int*>(most + i % 4096);
    int seen = *word;
    while (__int_as_float(seen) < in[i]) {
        const int before = atomicCAS(word, seen, __float_as_int(in[i]));
        if (before == seen) break;
        seen = before;
    }
}
EXAMPLE(max_by_exchange) {
    const int n = pick(1 << 21, 1 << 14);
    const Buffer<float> in = floats(n), most = zeros<float>(4096);
    std::vector<float> expected(4096);
    for (std::size_t i = 0; i < in.size(); ++i)
        expected[i % 4096] = std::max(expected[i % 4096], in.start(i));
    return {[=] { max_by_exchange<<<n / kThreads, kThreads>>>(most, in, n); },
            [=] { return compare(most, [&](std::size_t i) { return expected[i]; }); },
            [=] { most.restore(); }};
}

// Adds to 64-bit counters.
__global__ void add_long_counters(unsigned long long* sums, const unsigned* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sums + i % 1024, static_cast<unsigned long long>(in[i]));
}
EXAMPLE(add_long_counters) {
    const int n = pick(1 << 22, 1 << 15);
    const auto in = integers<unsigned>(n, 0xffffffffu);
    const auto sums = zeros<unsigned long long>(1024);
    std::vector<unsigned long long> expected(1024);
    for (std::size_t i = 0; i < in.size(); ++i) expected[i % 1024] += in.start(i);
    return {[=] { add_long_counters<<<n / kThreads, kThreads>>>(sums, in, n); },
            [=] { return compare(sums, [&](std::size_t i) { return expected[i]; }); },
            [=] { sums.restore(); }};
}

// Adds doubles with hardware atomics.
__global__ void add_doubles(double* sums, const double* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sums + i % 1000, in[i]);
}
EXAMPLE(add_doubles) {
    const int n = pick(1 << 21, 1 << 15);
    const Buffer<double> in = doubles(n), sums = zeros<double>(1000);
    std::vector<double> expected(1000);
    for (std::size_t i = 0; i < in.size(); ++i) expected[i % 1000] += in.start(i);
    return {[=] { add_doubles<<<n / kThreads, kThreads>>>(sums, in, n); },
            [=] {
                return compare(
                    sums, [&](std::size_t i) { return expected[i]; }, 1e-9);
            },
            [=] { sums.restore(); }};
}

// Sets the bits of the given members in a bit set.
__global__ void set_bits(unsigned* bits, const int* members, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicOr(bits + members[i] / 32, 1u << members[i] % 32);
}
EXAMPLE(set_bits) {
    const int n = pick(1 << 21, 1 << 14), universe = pick(1 << 24, 1 << 16);
    const Buffer<int> members = integers(n, static_cast<unsigned>(universe));
    const auto bits = zeros<unsigned>(universe / 32);
    std::vector<unsigned> expected(bits.size());
    for (const int member : members.start())
        expected[static_cast<std::size_t>(member / 32)] |= 1u << member % 32;
    return {[=] { set_bits<<<n / kThreads, kThreads>>>(bits, members, n); },
            [=] { return compare(bits, [&](std::size_t i) { return expected[i]; }); },
            [=] { bits.restore(); }};
}

// Inserts keys into a hash table with linear probing.
__global__ void hash_insert(unsigned* table, unsigned slots, const unsigned* keys, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned key = keys[i];
    unsigned at = key * 2654435761u & (slots - 1);
    for (;;) {
        const unsigned before = atomicCAS(table + at, 0u, key);
        if (before == 0 || before == key) return;
        at = (at + 1) & (slots - 1);
    }
}

// Looks up keys in a hash table with linear probing.
__global__ void hash_find(int* found, const unsigned* table, unsigned slots, const unsigned* keys,
                          int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned key = keys[i];
    unsigned at = key * 2654435761u & (slots - 1);
    while (table[at] != 0 && table[at] != key) at = (at + 1) & (slots - 1);
    found[i] = table[at] == key;
}

namespace {

Buffer<unsigned> odd_keys(int n) {
    return filled(static_cast<std::size_t>(n),
                  [](std::size_t i) { return static_cast<unsigned>(2 * i + 1); });
}

/// Returns the hash table after hash_insert has inserted the keys in order.
std::vector<unsigned> table_of(const std::vector<unsigned>& keys, unsigned slots) {
    std::vector<unsigned> table(slots);
    for (const unsigned key : keys) {
        unsigned at = key * 2654435761u & (slots - 1);
        while (table[at] != 0) at = (at + 1) & (slots - 1);
        table[at] = key;
    }
    return table;
}

}  // namespace

EXAMPLE(hash_insert) {
    const int n = pick(1 << 20, 1 << 13);
    const auto slots = static_cast<unsigned>(2 * n);
    const Buffer<unsigned> keys = odd_keys(n), table = zeros<unsigned>(slots);
    return {[=] { hash_insert<<<n / kThreads, kThreads>>>(table, slots, keys, n); },
            [=] {
                std::vector<unsigned> found = table.read();
                std::sort(found.begin(), found.end());
                found.erase(found.begin(), found.end() - n);
                return compare(found, [&](std::size_t i) { return keys.start(i); });
            },
            [=] { table.restore(); }};
}
EXAMPLE(hash_find) {
    const int n = pick(1 << 21, 1 << 13);
    const auto slots = static_cast<unsigned>(2 * n);
    const Buffer<unsigned> table = table_of(odd_keys(n).start(), slots);
    const auto wanted = integers<unsigned>(n, static_cast<unsigned>(2 * n));
    const Buffer<int> found = zeros<int>(n);
    return {[=] { hash_find<<<n / kThreads, kThreads>>>(found, table, slots, wanted, n); },
            [=] { return compare(found, [&](std::size_t i) { return wanted.start(i) % 2; }); }};
}

// Computes a two-dimensional histogram in dynamic shared memory.
__global__ void histogram_2d(int* counts, const float2* points, int side, int n) {
    extern __shared__ int s[];
    for (int k = threadIdx.x; k < side * side; k += blockDim.x) s[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float2 p = points[i];
        atomicAdd(s + static_cast<int>(p.y * side) * side + static_cast<int>(p.x * side), 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < side * side; k += blockDim.x)
        if (s[k] > 0) atomicAdd(counts + k, s[k]);
}
EXAMPLE(histogram_2d) {
    const int n = pick(1 << 22, 1 << 15), side = 32;
    const auto points = filled(n, [](std::size_t i) {
        return make_float2((noise(i, 1) >> 8) / 16777216.0f, (noise(i, 2) >> 8) / 16777216.0f);
    });
    const Buffer<int> counts = zeros<int>(side * side);
    std::vector<int> expected(counts.size());
    for (const float2& p : points.start())
        ++expected[static_cast<std::size_t>(static_cast<int>(p.y * side) * side +
                                            static_cast<int>(p.x * side))];
    return {[=] {
                histogram_2d<<<pick(528, 16), kThreads, side * side * sizeof(int)>>>(counts, points,
                                                                                     side, n);
            },
            [=] { return compare(counts, [&](std::size_t i) { return expected[i]; }); },
            [=] { counts.restore(); }};
}
