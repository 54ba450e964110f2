// Tests 64-bit atomics on another block's shared memory. Minimum, maximum, AND, OR and XOR are not
// atomic there (see bugs/clusters.cu), so only one thread at a time uses them.
// expect: add: ok
// expect: min, max, and, or, xor by one thread: ok
// expect: exch: ok
// expect: cas: ok
// expect: a sum by cas: ok
// expect: old values: ok
// expect: red: ok
// expect: a maximum by cas: ok
// expect: add of doubles: ok
// expect-stderr: racecheck: not atomic
#include <cstring>

#include "cluster_check.h"

using Wide = unsigned long long;
constexpr Wide kHigh = 1ull << 40;

/// Calls `body` with the first word of the next block. Then writes each block's 4 words to `out`.
template <class Body>
__device__ void with_next(Wide* out, Wide start, Body body) {
    __shared__ Wide words[4];
    if (threadIdx.x < 4) words[threadIdx.x] = start + threadIdx.x;
    cluster_sync();
    body(mapped_pointer(words, (rank_in_cluster() + 1) % blocks_in_cluster()));
    cluster_sync();
    if (threadIdx.x < 4) out[blockIdx.x * 4 + threadIdx.x] = words[threadIdx.x];
}

__global__ void add(Wide* out) {
    with_next(out, kHigh, [](Wide* to) {
        atomicAdd(&to[threadIdx.x % 4], 0xffffffffull + threadIdx.x + blockIdx.x);
    });
}
__global__ void one_by_one(Wide* out) {
    with_next(out, kHigh, [](Wide* to) {
        if (threadIdx.x != 40) return;
        atomicMin(&to[0], kHigh - 5 - blockIdx.x);
        atomicMax(&to[0], 7ull);
        atomicMin(reinterpret_cast<long long*>(&to[1]), -3ll - blockIdx.x);
        atomicMax(reinterpret_cast<long long*>(&to[1]), -100ll);
        atomicAnd(&to[2], kHigh);
        atomicOr(&to[2], 3ull << 33);
        atomicXor(&to[3], ~0ull);
    });
}
__global__ void exchange(Wide* out, Wide* old) {
    with_next(out, kHigh, [&](Wide* to) {
        if (threadIdx.x == 33) old[blockIdx.x] = atomicExch(&to[2], kHigh * 3 + blockIdx.x);
    });
}
__global__ void compare(Wide* out, Wide* old) {
    with_next(out, kHigh, [&](Wide* to) {
        if (threadIdx.x < 4)
            old[blockIdx.x * 4 + threadIdx.x] =
                atomicCAS(&to[threadIdx.x], kHigh + 2, kHigh * 7 + blockIdx.x);
    });
}
/// Adds to a word of block 0 in all threads of all blocks.
__global__ void sum_by_cas(Wide* out) {
    __shared__ Wide word;
    if (threadIdx.x == 0) word = kHigh;
    cluster_sync();
    Wide* const sum = mapped_pointer(&word, 0);
    Wide seen = *static_cast<volatile Wide*>(sum), before;
    do {
        before = seen;
        seen = atomicCAS(sum, before, before + (Wide{threadIdx.x} << 20) + 1);
    } while (seen != before);
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = word;
}
__global__ void old_values(Wide* out, unsigned* seen) {
    with_next(out, kHigh, [&](Wide* to) {
        seen[blockIdx.x * 64 + static_cast<unsigned>(atomicAdd(to, 1ull) - kHigh)] = 1;
    });
}
__global__ void reduced(Wide* out) {
    with_next(out, kHigh, [](Wide* to) {
        const unsigned at = shared_at(to) + threadIdx.x % 2 * 8;
        asm volatile("red.shared::cluster.add.u64 [%0], %1;" ::"r"(at), "l"(kHigh + threadIdx.x)
                     : "memory");
    });
}
__global__ void maximum(Wide* out) {
    with_next(out, kHigh, [](Wide* to) {
        const Wide mine = kHigh * (threadIdx.x * 37 % 64) + blockIdx.x;
        Wide seen = *static_cast<volatile Wide*>(to), before;
        do {
            before = seen;
            seen = atomicCAS(to, before, before > mine ? before : mine);
        } while (seen != before);
    });
}
__global__ void doubles(Wide* out) {
    with_next(out, 0, [](Wide* to) {
        atomicAdd(reinterpret_cast<double*>(&to[1]) + threadIdx.x % 2, threadIdx.x * .25);
    });
}

using Words = std::vector<Wide>;

/// Returns the expected words of two blocks: of(0), followed by of(1).
Words four_each(Words (*of)(unsigned block)) {
    Words words = of(0), second = of(1);
    words.insert(words.end(), second.begin(), second.end());
    return words;
}
Wide bits_of(double value) {
    Wide bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

int main() {
    const DeviceArray<Wide> out(8), old(8);
    const DeviceArray<unsigned> seen(128);
    Wide* words = out;
    in_clusters(add, 2, 64, 2, words);
    expect_equal("add", out.read(), four_each([](unsigned b) {
                     Words w;
                     for (unsigned k = 0; k < 4; ++k)
                         w.push_back(kHigh + k + 16 * (0xffffffffull + k + 1 - b) + 4 * 120);
                     return w;
                 }));
    in_clusters(one_by_one, 2, 64, 2, words);
    expect_equal("min, max, and, or, xor by one thread", out.read(), four_each([](unsigned b) {
                     return Words{kHigh - 5 - (1 - b), ~Wide{0} - 2 - (1 - b), kHigh + (3ull << 33),
                                  ~(kHigh + 3)};
                 }));
    in_clusters(exchange, 2, 64, 2, words, static_cast<Wide*>(old));
    Words both = out.read();
    both.push_back(old.read()[0]);
    both.push_back(old.read()[1]);
    expect_equal("exch", both,
                 {kHigh, kHigh + 1, kHigh * 3 + 1, kHigh + 3, kHigh, kHigh + 1, kHigh * 3,
                  kHigh + 3, kHigh + 2, kHigh + 2});
    in_clusters(compare, 2, 64, 2, words, static_cast<Wide*>(old));
    both = out.read();
    for (Wide value : old.read()) both.push_back(value);
    expect_equal(
        "cas", both,
        {kHigh, kHigh + 1, kHigh * 7 + 1, kHigh + 3, kHigh, kHigh + 1, kHigh * 7, kHigh + 3, kHigh,
         kHigh + 1, kHigh + 2, kHigh + 3, kHigh, kHigh + 1, kHigh + 2, kHigh + 3});
    in_clusters(sum_by_cas, 2, 64, 2, words);
    both = out.read();
    both.resize(2);
    expect_equal("a sum by cas", both, {kHigh + 2 * ((Wide{2016} << 20) + 64), kHigh});
    in_clusters(old_values, 2, 64, 2, words, static_cast<unsigned*>(seen));
    expect_equal("old values", seen.read(), std::vector<unsigned>(128, 1));
    in_clusters(reduced, 2, 64, 2, words);
    expect_equal("red", out.read(), four_each([](unsigned) {
                     return Words{kHigh * 33 + 992, kHigh * 33 + 1 + 1024, kHigh + 2, kHigh + 3};
                 }));
    in_clusters(maximum, 2, 64, 2, words);
    expect_equal("a maximum by cas", out.read(), four_each([](unsigned b) {
                     return Words{kHigh * 63 + 1 - b, kHigh + 1, kHigh + 2, kHigh + 3};
                 }));
    in_clusters(doubles, 2, 64, 2, words);
    // Bits 1 and 2 of the double are set initially, a value that is too small to change the sum.
    expect_equal("add of doubles", out.read(), four_each([](unsigned) {
                     return Words{0, bits_of(248.), bits_of(256.), 3};
                 }));
}
