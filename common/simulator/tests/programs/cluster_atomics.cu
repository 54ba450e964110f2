// Tests atomics and reductions on another block's shared memory.
// expect: add: ok
// expect: add, all lanes at one place: ok
// expect: old values: ok
// expect: min and max: ok
// expect: exch and cas: ok
// expect: a lock in another block: ok
// expect: and, or, xor: ok
// expect: inc and dec: ok
// expect: floats and doubles: ok
// expect: 64 bits: ok
// expect: red: ok
#include "cluster_check.h"

/// Calls `body` with the first word of the next block. Then writes each block's 8 words to `out`.
template <class Body>
__device__ void with_next(unsigned* out, unsigned start, Body body) {
    __shared__ unsigned words[8];
    if (threadIdx.x < 8) words[threadIdx.x] = start + threadIdx.x;
    cluster_sync();
    body(mapped_pointer(words, (rank_in_cluster() + 1) % blocks_in_cluster()));
    cluster_sync();
    if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = words[threadIdx.x];
}

__global__ void add(unsigned* out) {
    with_next(out, 10,
              [](unsigned* to) { atomicAdd(&to[threadIdx.x % 8], blockIdx.x + threadIdx.x); });
}
__global__ void add_to_one(unsigned* out) {
    with_next(out, 0, [](unsigned* to) { atomicAdd(to, 3u); });
}
__global__ void old_values(unsigned* out, unsigned* seen) {
    with_next(out, 0, [&](unsigned* to) { seen[blockIdx.x * 64 + atomicAdd(to, 1u)] = 1; });
}
__global__ void min_max(unsigned* out) {
    with_next(out, 50, [](unsigned* to) {
        atomicMin(&to[0], 20 + threadIdx.x + blockIdx.x);
        atomicMax(&to[1], 200 + threadIdx.x + blockIdx.x);
        atomicMin(reinterpret_cast<int*>(&to[2]), -static_cast<int>(threadIdx.x));
    });
}
__global__ void exchange(unsigned* out) {
    with_next(out, 0, [](unsigned* to) {
        if (threadIdx.x == 5) atomicExch(&to[0], 77 + blockIdx.x);
        if (threadIdx.x < 8) atomicCAS(&to[threadIdx.x], 4u, 400u);
    });
}
/// All blocks of the cluster add to a sum under a lock in block 0.
__global__ void locked(unsigned* out) {
    __shared__ unsigned lock, sum;
    if (threadIdx.x == 0) lock = sum = 0;
    cluster_sync();
    if (threadIdx.x == 0) {
        unsigned* const the_lock = mapped_pointer(&lock, 0);
        volatile unsigned* const the_sum = mapped_pointer(&sum, 0);
        for (int i = 0; i < 10; ++i) {
            while (atomicCAS(the_lock, 0u, 1u) != 0) {
            }
            __threadfence();
            *the_sum = *the_sum + rank_in_cluster() + 1;
            __threadfence();
            atomicExch(the_lock, 0u);
        }
    }
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void logic(unsigned* out) {
    with_next(out, 0xff00, [](unsigned* to) {
        atomicAnd(&to[0], ~(1u << 8 + threadIdx.x % 4));
        atomicOr(&to[1], 1u << threadIdx.x % 8);
        atomicXor(&to[2], threadIdx.x);
    });
}
__global__ void count(unsigned* out) {
    with_next(out, 3, [](unsigned* to) {
        atomicInc(&to[0], 9);
        atomicDec(&to[1], 20);
    });
}
__global__ void floats(float* out, double* out_64) {
    __shared__ float value;
    __shared__ double value_64;
    if (threadIdx.x == 0) value = .5f, value_64 = .25;
    cluster_sync();
    atomicAdd(mapped_pointer(&value, rank_in_cluster() ^ 1), 2.f);
    atomicAdd(mapped_pointer(&value_64, rank_in_cluster() ^ 1), 1. + blockIdx.x);
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = value, out_64[blockIdx.x] = value_64;
}
__global__ void wide(unsigned long long* out) {
    __shared__ unsigned long long values[2];
    if (threadIdx.x < 2) values[threadIdx.x] = 1ull << 40;
    cluster_sync();
    unsigned long long* to = mapped_pointer(values, rank_in_cluster() ^ 1);
    atomicAdd(&to[0], 1ull << 33);
    if (threadIdx.x == 7) atomicExch(&to[1], 1ull << 41);
    cluster_sync();
    if (threadIdx.x < 2) out[blockIdx.x * 2 + threadIdx.x] = values[threadIdx.x];
}
__global__ void reduced(unsigned* out) {
    __shared__ unsigned values[32];
    values[threadIdx.x % 32] = 0;
    cluster_sync();
    asm volatile(
        "red.shared::cluster.add.u32 [%0], %1;" ::"r"(mapped(&values[threadIdx.x % 32], 0)),
        "r"(threadIdx.x + 1)
        : "memory");
    cluster_sync();
    if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = values[threadIdx.x];
}

/// Returns the 8 expected words of each block b: of(b), followed by initial values.
std::vector<unsigned> eight_each(int blocks, unsigned start,
                                 std::vector<unsigned> (*of)(unsigned block)) {
    std::vector<unsigned> words;
    for (int b = 0; b < blocks; ++b) {
        std::vector<unsigned> eight = of(b);
        for (unsigned i = static_cast<unsigned>(eight.size()); i < 8; ++i)
            eight.push_back(start + i);
        words.insert(words.end(), eight.begin(), eight.end());
    }
    return words;
}

int main() {
    const DeviceArray<unsigned> out(64);
    unsigned* words = out;
    const auto first = [&](int count) {
        auto values = out.read();
        values.resize(count);
        return values;
    };
    in_clusters(add, 2, 64, 2, words);
    expect_equal("add", first(16), for_threads<unsigned>(16, [](int i) {
                     return 10u + i % 8 + 8 * (1 - i / 8) + 8 * (i % 8) + 8 * 28;
                 }));
    in_clusters(add_to_one, 4, 96, 4, words);
    expect_equal("add, all lanes at one place", first(32),
                 eight_each(4, 0, [](unsigned) { return std::vector<unsigned>{288}; }));
    const DeviceArray<unsigned> seen(128);
    in_clusters(old_values, 2, 64, 2, words, static_cast<unsigned*>(seen));
    expect_equal("old values", seen.read(), std::vector<unsigned>(128, 1));
    in_clusters(min_max, 2, 64, 2, words);
    expect_equal(
        "min and max", first(16), eight_each(2, 50, [](unsigned b) {
            return std::vector<unsigned>{20 + (1 - b), 263 + (1 - b), static_cast<unsigned>(-63)};
        }));
    in_clusters(exchange, 2, 32, 2, words);
    expect_equal("exch and cas", first(16), eight_each(2, 0, [](unsigned b) {
                     return std::vector<unsigned>{77 + (1 - b), 1, 2, 3, 400};
                 }));
    in_clusters(locked, 4, 32, 4, words);
    expect_equal("a lock in another block", first(4), {100, 0, 0, 0});
    in_clusters(logic, 2, 64, 2, words);
    expect_equal("and, or, xor", first(16), eight_each(2, 0xff00, [](unsigned) {
                     return std::vector<unsigned>{0xf000, 0xffff, 0xff02};
                 }));
    in_clusters(count, 2, 32, 2, words);
    expect_equal("inc and dec", first(16), eight_each(2, 3, [](unsigned) {
                     return std::vector<unsigned>{5, 14};
                 }));
    const DeviceArray<float> singles(2);
    const DeviceArray<double> doubles(2);
    in_clusters(floats, 2, 64, 2, static_cast<float*>(singles), static_cast<double*>(doubles));
    std::vector<double> sums;
    for (float value : singles.read()) sums.push_back(value);
    for (double value : doubles.read()) sums.push_back(value);
    expect_equal("floats and doubles", sums, {128.5, 128.5, 128.25, 64.25});
    const DeviceArray<unsigned long long> long_words(4);
    in_clusters(wide, 2, 32, 2, static_cast<unsigned long long*>(long_words));
    const unsigned long long sum = (1ull << 40) + (1ull << 38), most = 1ull << 41;
    expect_equal("64 bits", long_words.read(), {sum, most, sum, most});
    in_clusters(reduced, 2, 64, 2, words);
    expect_equal("red", first(64), for_threads<unsigned>(64, [](int i) {
                     return i < 32 ? 2u * (i + 1 + i + 33) : 0u;
                 }));
}
