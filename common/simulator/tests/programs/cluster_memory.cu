// not built by clang: clang drops __cluster_dims__
// Tests loads and stores to the shared memory of other blocks of a cluster.
// expect: the neighbour's value: ok
// expect: a ring of 8 blocks: ok
// expect: stores to the neighbour: ok
// expect: bytes: ok
// expect: 8 bytes: ok
// expect: 16 bytes: ok
// expect: generic pointers: ok
// expect: several blocks in one warp: ok
// expect: the own block, by its rank: ok
// expect: a pointer that another block was given: ok
// expect: dynamic shared memory: ok
// expect: a warp of which half takes part: ok
// expect: transpose of tiles: ok
// expect: histogram over a cluster: ok
// expect: sum over a cluster: ok
// expect: ranks of addresses: ok
// expect: spaces of addresses: ok
// expect: a function that is called: ok
#include <numeric>

#include "cluster_check.h"

__global__ void neighbour(unsigned* out) {
    __shared__ unsigned value;
    if (threadIdx.x == 0) value = blockIdx.x + 100;
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = load_from(mapped(&value, rank_in_cluster() ^ 1));
    cluster_sync();
}

/// The blocks pass their values around a ring until each value has visited all blocks.
__global__ void ring(unsigned* out, int rounds) {
    __shared__ unsigned box[2][128];
    const unsigned t = threadIdx.x, next = (rank_in_cluster() + 1) % blocks_in_cluster();
    box[0][t] = blockIdx.x * 1000 + t;
    cluster_sync();
    for (int r = 0; r < rounds; ++r) {
        store_to(mapped(&box[(r + 1) % 2][t], next), box[r % 2][(t + 1) % 128] + 1);
        cluster_sync();
    }
    out[blockIdx.x * 128 + t] = box[rounds % 2][t];
}

__global__ void stores(unsigned* out) {
    __shared__ unsigned values[64];
    cluster_sync();  // now the neighbour has started
    store_to(mapped(&values[63 - threadIdx.x], rank_in_cluster() ^ 1),
             blockIdx.x * 64 + threadIdx.x);
    cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
}

template <class T>
__device__ T made(unsigned i);
template <>
__device__ unsigned char made(unsigned i) {
    return static_cast<unsigned char>(i * 7);
}
template <>
__device__ double made(unsigned i) {
    return i + .25;
}
template <>
__device__ uint4 made(unsigned i) {
    return {i, i * 2, i * 3, ~i};
}

/// Tests generic loads and stores of one size.
template <class T>
__global__ void sized(T* out) {
    __shared__ T from[32], to[32];
    const unsigned rank = rank_in_cluster(), t = threadIdx.x;
    from[t] = made<T>(blockIdx.x * 32 + t);
    cluster_sync();
    const T value = mapped_pointer(from, rank ^ 1)[t];
    mapped_pointer(to, rank ^ 1)[31 - t] = value;
    cluster_sync();
    out[blockIdx.x * 32 + t] = to[t];
}

__global__ void generic(int* out, const int* in) {
    __shared__ int values[32];
    const unsigned t = threadIdx.x;
    values[t] = in[blockIdx.x * 32 + t];
    cluster_sync();
    // Odd lanes read global memory, and even lanes read the shared memory of the other block.
    const int* from = t % 2 ? in + t : mapped_pointer(values, rank_in_cluster() ^ 1) + t;
    out[blockIdx.x * 32 + t] = *from;
    cluster_sync();
}

__global__ void several(unsigned* out) {
    __shared__ unsigned values[32];
    const unsigned t = threadIdx.x;
    values[t] = blockIdx.x * 32 + t;
    cluster_sync();
    out[blockIdx.x * 32 + t] = load_from(mapped(&values[t], t % blocks_in_cluster()));
    cluster_sync();
}

__global__ void own(unsigned* out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = threadIdx.x + 5;
    const unsigned address = mapped(&values[threadIdx.x], rank_in_cluster());
    const bool same = address == shared_at(&values[threadIdx.x]) &&
                      mapped_pointer(values, rank_in_cluster()) == values;
    __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = load_from(address) * 2 + same;
}

/// Block 0 gives the other blocks a pointer to one of its shared variables.
__global__ void handed_over(int* out) {
    __shared__ int value;
    __shared__ int* pointer;
    cluster_sync();  // now all blocks have started
    if (threadIdx.x == 0) {
        value = 70 + static_cast<int>(blockIdx.x);
        if (rank_in_cluster() == 0)
            for (unsigned r = 0; r < blocks_in_cluster(); ++r)
                *mapped_pointer(&pointer, r) = &value;
    }
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = *pointer;
    cluster_sync();
}

extern __shared__ int dynamic[];
__global__ void in_dynamic(int* out, int n) {
    __shared__ int fixed[16];
    if (threadIdx.x < 16) fixed[threadIdx.x] = 1000;
    for (int i = threadIdx.x; i < n; i += blockDim.x) dynamic[i] = blockIdx.x * n + i;
    cluster_sync();
    const int* theirs = mapped_pointer(dynamic, rank_in_cluster() ^ 1);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = theirs[n - 1 - i] + fixed[i % 16];
    cluster_sync();
}

__global__ void half_a_warp(unsigned* out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    cluster_sync();
    unsigned value = 7;
    if (threadIdx.x % 2)
        value = load_from(mapped(&values[31 - threadIdx.x], rank_in_cluster() ^ 1));
    out[blockIdx.x * 32 + threadIdx.x] = value;
    cluster_sync();
}

__global__ void __cluster_dims__(2, 1, 1)
    transpose(float* out, const float* in, int rows, int columns) {
    __shared__ float tile[32][33];
    float* theirs = mapped_pointer(&tile[0][0], rank_in_cluster() ^ 1);
    cluster_sync();  // now the neighbour has started
    const int row = blockIdx.y * 32, column = blockIdx.x * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8)
        theirs[k * 33 + threadIdx.x] = in[(row + k) * columns + column];
    cluster_sync();
    const int out_row = (blockIdx.x ^ 1) * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        out[(out_row + k) * rows + row + threadIdx.x] = tile[threadIdx.x][k];
}

__global__ void histogram(unsigned* bins, const int* data, int n) {
    __shared__ unsigned part[32];
    if (threadIdx.x < 32) part[threadIdx.x] = 0;
    cluster_sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned bin = data[i];
        atomicAdd(mapped_pointer(&part[bin % 32], bin / 32), 1u);
    }
    cluster_sync();
    if (threadIdx.x < 32) atomicAdd(&bins[rank_in_cluster() * 32 + threadIdx.x], part[threadIdx.x]);
}

__global__ void sum(int* out, const int* data) {
    __shared__ int partial;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) partial = 0;
    __syncthreads();
    atomicAdd(&partial, data[i]);
    cluster_sync();
    if (rank_in_cluster() == 0 && threadIdx.x == 0) {
        int all = 0;
        for (unsigned r = 0; r < blocks_in_cluster(); ++r) all += *mapped_pointer(&partial, r);
        out[blockIdx.x / blocks_in_cluster()] = all;
    }
    cluster_sync();
}

__global__ void ranks(unsigned* out) {
    __shared__ int value;
    unsigned own, other, by_pointer;
    const unsigned there = mapped(&value, (rank_in_cluster() + 1) % 4);
    const int* pointer = mapped_pointer(&value, 2);
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(own) : "r"(shared_at(&value)));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(other) : "r"(there));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(by_pointer) : "l"(pointer));
    out[blockIdx.x] = own * 100 + other * 10 + by_pointer;
}

__global__ void spaces(unsigned* out) {
    __shared__ int value;
    const void* pointers[] = {&value, mapped_pointer(&value, rank_in_cluster() ^ 1), out};
    unsigned bits = 0;
    for (const void* pointer : pointers) {
        unsigned in_shared, in_block, in_cluster;
        asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }"
            : "=r"(in_shared)
            : "l"(pointer));
        asm("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }"
            : "=r"(in_block)
            : "l"(pointer));
        asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }"
            : "=r"(in_cluster)
            : "l"(pointer));
        bits = bits << 3 | in_shared << 2 | in_block << 1 | in_cluster;
    }
    out[blockIdx.x] = bits;
}

__device__ __noinline__ int read_there(int* variable, unsigned rank, int depth) {
    if (depth > 0) return read_there(variable, rank, depth - 1) + 1;
    return *mapped_pointer(variable, rank);
}
__global__ void called(int* out) {
    __shared__ int values[32];
    values[threadIdx.x] = threadIdx.x * 10 + blockIdx.x;
    cluster_sync();
    out[blockIdx.x * 32 + threadIdx.x] =
        read_there(&values[threadIdx.x], rank_in_cluster() ^ 1, threadIdx.x % 4);
    cluster_sync();
}

void test_sums() {
    const int n = 4096;
    std::vector<int> data(n);
    for (int i = 0; i < n; ++i) data[i] = (i * 37 + i / 11) % 128;
    const DeviceArray<int> in(data);
    const DeviceArray<unsigned> bins(128);
    in_clusters(histogram, 8, 128, 4, static_cast<unsigned*>(bins),
                static_cast<const int*>(static_cast<int*>(in)), n);
    std::vector<unsigned> wanted(128);
    for (int value : data) ++wanted[value];
    expect_equal("histogram over a cluster", bins.read(), wanted);
    const DeviceArray<int> sums(4);
    in_clusters(sum, 16, 256, 4, static_cast<int*>(sums),
                static_cast<const int*>(static_cast<int*>(in)));
    expect_equal("sum over a cluster", sums.read(), for_threads<int>(4, [&](int c) {
                     return std::accumulate(data.begin() + c * 1024, data.begin() + (c + 1) * 1024,
                                            0);
                 }));
}

void test_sizes() {
    const auto partner = [](int i) { return static_cast<unsigned>(i / 32 * 32 + 31 - i % 32); };
    const DeviceArray<unsigned char> bytes(64);
    in_clusters(sized<unsigned char>, 2, 32, 2, static_cast<unsigned char*>(bytes));
    expect_equal("bytes", bytes.read(), for_threads<unsigned char>(64, [&](int i) {
                     return static_cast<unsigned char>(partner(i) * 7);
                 }));
    const DeviceArray<double> doubles(64);
    in_clusters(sized<double>, 2, 32, 2, static_cast<double*>(doubles));
    expect_equal("8 bytes", doubles.read(),
                 for_threads<double>(64, [&](int i) { return partner(i) + .25; }));
    const DeviceArray<uint4> quads(64);
    in_clusters(sized<uint4>, 2, 32, 2, static_cast<uint4*>(quads));
    std::vector<unsigned> got, wanted;
    for (const uint4& q : quads.read()) got.insert(got.end(), {q.x, q.y, q.z, q.w});
    for (int i = 0; i < 64; ++i)
        wanted.insert(wanted.end(), {partner(i), partner(i) * 2, partner(i) * 3, ~partner(i)});
    expect_equal("16 bytes", got, wanted);
}

void test_transpose() {
    const int rows = 128, columns = 256;
    std::vector<float> data(rows * columns), wanted(rows * columns);
    std::iota(data.begin(), data.end(), 0.f);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) wanted[c * rows + r] = data[r * columns + c];
    const DeviceArray<float> in(data), out(data.size());
    transpose<<<dim3(columns / 32, rows / 32), dim3(32, 8)>>>(out, in, rows, columns);
    expect_equal("transpose of tiles", out.read(), wanted);
}

int main() {
    const DeviceArray<unsigned> out(1024);
    const auto first = [&](int count) {
        auto values = out.read();
        values.resize(count);
        return values;
    };
    unsigned* words = out;
    in_clusters(neighbour, 4, 32, 2, words);
    expect_equal("the neighbour's value", first(4), {101, 100, 103, 102});
    in_clusters(ring, 8, 128, 8, words, 8);
    expect_equal("a ring of 8 blocks", first(1024), for_threads<unsigned>(1024, [](int i) {
                     return i / 128 * 1000u + (i % 128 + 8) % 128 + 8;
                 }));
    in_clusters(stores, 4, 64, 2, words);
    expect_equal("stores to the neighbour", first(256), for_threads<unsigned>(256, [](int i) {
                     return static_cast<unsigned>((i / 64 ^ 1) * 64 + 63 - i % 64);
                 }));
    test_sizes();
    const DeviceArray<int> in(for_threads<int>(128, [](int i) { return i * 3; })), signed_out(128);
    in_clusters(generic, 4, 32, 2, static_cast<int*>(signed_out),
                static_cast<const int*>(static_cast<int*>(in)));
    expect_equal("generic pointers", signed_out.read(), for_threads<int>(128, [](int i) {
                     return i % 2 ? i % 32 * 3 : ((i / 32 ^ 1) * 32 + i % 32) * 3;
                 }));
    in_clusters(several, 8, 32, 4, words);
    expect_equal("several blocks in one warp", first(256), for_threads<unsigned>(256, [](int i) {
                     return static_cast<unsigned>((i / 128 * 4 + i % 32 % 4) * 32 + i % 32);
                 }));
    in_clusters(own, 2, 32, 2, words);
    expect_equal("the own block, by its rank", first(64),
                 for_threads<unsigned>(64, [](int i) { return (i % 32 + 5) * 2u + 1; }));
    const DeviceArray<int> eight(8);
    in_clusters(handed_over, 8, 32, 4, static_cast<int*>(eight));
    expect_equal("a pointer that another block was given", eight.read(),
                 {70, 70, 70, 70, 74, 74, 74, 74});
    const DeviceArray<int> many(2 * 3000);
    MUST(launch_clusters(in_dynamic, dim3(2), dim3(128), dim3(2), 12000, static_cast<int*>(many),
                         3000));
    expect_equal("dynamic shared memory", many.read(), for_threads<int>(6000, [](int i) {
                     return (i / 3000 ^ 1) * 3000 + 2999 - i % 3000 + 1000;
                 }));
    in_clusters(half_a_warp, 2, 32, 2, words);
    expect_equal("a warp of which half takes part", first(64), for_threads<unsigned>(64, [](int i) {
                     return i % 2 ? (i / 32 ^ 1) * 100u + 31 - i % 32 : 7u;
                 }));
    test_transpose();
    test_sums();
    in_clusters(ranks, 4, 1, 4, words);
    expect_equal("ranks of addresses", first(4), {12, 122, 232, 302});
    in_clusters(spaces, 2, 1, 2, words);
    expect_equal("spaces of addresses", first(2), {0710, 0710});
    const DeviceArray<int> sixty_four(64);
    in_clusters(called, 2, 32, 2, static_cast<int*>(sixty_four));
    expect_equal("a function that is called", sixty_four.read(), for_threads<int>(64, [](int i) {
                     return i % 32 * 10 + (i / 32 ^ 1) + i % 32 % 4;
                 }));
}
