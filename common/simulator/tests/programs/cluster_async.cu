// Tests asynchronous stores, mbarrier arrivals and bulk copies between blocks of a cluster.
// expect: st.async: ok
// expect: st.async of 16 bytes: ok
// expect: st.async of 64 bits: ok
// expect: red.async: ok
// expect: arriving at another block's mbarrier: ok
// expect: announcing bytes to another block: ok
// expect: a pipeline of two blocks: ok
// expect: a bulk copy between blocks: ok
// expect: bulk copies round a ring: ok
// expect: multicast to all: ok
// expect: multicast to some: ok
#include "../bulk.h"

#include "cluster_check.h"

__device__ void begin_barrier(uint64_t& barrier, unsigned count, unsigned bytes) {
    if (threadIdx.x == 0) {
        init(barrier, count);
        if (bytes) expect_bytes(barrier, bytes);
    }
    cluster_sync();
}
__device__ void arrive_at(unsigned barrier) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
                 : "memory");
}

__global__ void stores(unsigned* out) {
    __shared__ unsigned values[64];
    __shared__ uint64_t barrier;
    begin_barrier(barrier, 1, sizeof values);
    const unsigned next = (rank_in_cluster() + 1) % blocks_in_cluster();
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     mapped(&values[63 - threadIdx.x], next)),
                 "r"(blockIdx.x * 64 + threadIdx.x), "r"(mapped(&barrier, next))
                 : "memory");
    wait(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
    cluster_sync();
}

__global__ void stores_of_16(unsigned* out) {
    __shared__ uint4 values[32];
    __shared__ uint64_t barrier;
    begin_barrier(barrier, 1, sizeof values);
    const unsigned next = rank_in_cluster() ^ 1, v = blockIdx.x * 32 + threadIdx.x;
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
        "[%5];" ::"r"(mapped(&values[threadIdx.x], next)),
        "r"(v), "r"(v + 1), "r"(v + 2), "r"(v + 3), "r"(mapped(&barrier, next))
        : "memory");
    wait(barrier, 0);
    const uint4 got = values[threadIdx.x];
    out[blockIdx.x * 32 + threadIdx.x] = got.x + got.y * 2 + got.z * 3 + got.w * 4;
    cluster_sync();
}

__global__ void stores_of_64_bits(unsigned long long* out) {
    __shared__ unsigned long long values[32];
    __shared__ uint64_t barrier;
    begin_barrier(barrier, 1, sizeof values);
    const unsigned next = rank_in_cluster() ^ 1;
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                     mapped(&values[threadIdx.x], next)),
                 "l"((1ull << 40) + blockIdx.x * 32 + threadIdx.x), "r"(mapped(&barrier, next))
                 : "memory");
    wait(barrier, 0);
    out[blockIdx.x * 32 + threadIdx.x] = values[threadIdx.x];
    cluster_sync();
}

__global__ void reductions(unsigned* out) {
    __shared__ unsigned values[8];
    __shared__ uint64_t barrier;
    if (threadIdx.x < 8) values[threadIdx.x] = 1;
    begin_barrier(barrier, 1, 64 * 4);
    const unsigned next = rank_in_cluster() ^ 1;
    asm volatile(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, "
        "[%2];" ::"r"(mapped(&values[threadIdx.x % 8], next)),
        "r"(threadIdx.x), "r"(mapped(&barrier, next))
        : "memory");
    wait(barrier, 0);
    if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = values[threadIdx.x];
    cluster_sync();
}

/// Block 0 waits until all threads of the other blocks have stored to its memory.
__global__ void arrivals(unsigned* out) {
    __shared__ unsigned values[4 * 32];
    __shared__ uint64_t barrier;
    begin_barrier(barrier, 3 * 32, 0);
    if (rank_in_cluster() > 0) {
        store_to(mapped(&values[rank_in_cluster() * 32 + threadIdx.x], 0),
                 blockIdx.x * 100 + threadIdx.x);
        arrive_at(mapped(&barrier, 0));
    } else {
        wait(barrier, 0);
        for (int r = 1; r < 4; ++r) out[(r - 1) * 32 + threadIdx.x] = values[r * 32 + threadIdx.x];
    }
    cluster_sync();
}

/// The sender tells the receiver's mbarrier how many bytes it will store.
__global__ void announced(unsigned* out) {
    __shared__ unsigned values[32];
    __shared__ uint64_t barrier;
    begin_barrier(barrier, 1, 0);
    const unsigned next = rank_in_cluster() ^ 1;
    if (threadIdx.x == 0)
        asm volatile(
            "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
                mapped(&barrier, next)),
            "r"(128)
            : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     mapped(&values[threadIdx.x], next)),
                 "r"(blockIdx.x + threadIdx.x * 4), "r"(mapped(&barrier, next))
                 : "memory");
    wait(barrier, 0);
    out[blockIdx.x * 32 + threadIdx.x] = values[threadIdx.x];
    cluster_sync();
}

/// Block 0 produces values, and block 1 consumes them. One mbarrier signals that values are ready,
/// and another that they have been consumed.
__global__ void pipeline(unsigned* out, int rounds) {
    __shared__ unsigned box[32];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) init(full, 32), init(empty, 32);
    cluster_sync();
    for (int r = 0; r < rounds; ++r) {
        if (rank_in_cluster() == 0) {
            if (r > 0) wait(empty, (r - 1) % 2);
            store_to(mapped(&box[threadIdx.x], 1), r * 100 + threadIdx.x);
            arrive_at(mapped(&full, 1));
        } else {
            wait(full, r % 2);
            out[r * 32 + threadIdx.x] = box[31 - threadIdx.x];
            arrive_at(mapped(&empty, 0));
        }
    }
    cluster_sync();
}

__device__ void copy_to(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(to),
        "r"(shared_at(from)), "r"(bytes), "r"(barrier)
        : "memory");
}

__global__ void bulk(unsigned* out) {
    __shared__ alignas(128) unsigned from[256], to[256];
    __shared__ uint64_t barrier;
    for (unsigned i = threadIdx.x; i < 256; i += 32) from[i] = blockIdx.x * 256 + i;
    fence_for_copies();
    begin_barrier(barrier, 1, sizeof to);
    if (threadIdx.x == 0) {
        const unsigned next = rank_in_cluster() ^ 1;
        copy_to(mapped(to, next), from, 512, mapped(&barrier, next));
        copy_to(mapped(to + 128, next), from + 128, 512, mapped(&barrier, next));
    }
    wait(barrier, 0);
    for (unsigned i = threadIdx.x; i < 256; i += 32) out[blockIdx.x * 256 + i] = to[i];
    cluster_sync();
}

__global__ void bulk_ring(unsigned* out, int rounds) {
    __shared__ alignas(128) unsigned box[2][64];
    __shared__ uint64_t barrier;
    box[0][threadIdx.x] = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x == 0) init(barrier, 1);
    fence_for_copies();
    cluster_sync();
    for (int r = 0; r < rounds; ++r) {
        if (threadIdx.x == 0) {
            const unsigned next = (rank_in_cluster() + 1) % blocks_in_cluster();
            expect_bytes(barrier, 256);
            copy_to(mapped(box[(r + 1) % 2], next), box[r % 2], 256, mapped(&barrier, next));
        }
        wait(barrier, r % 2);
        cluster_sync();
    }
    out[blockIdx.x * 64 + threadIdx.x] = box[rounds % 2][threadIdx.x];
}

/// Each block loads its part of a row, and multicasts it to all blocks in the mask `ranks`.
__global__ void multicast(unsigned* out, const unsigned* in, unsigned ranks) {
    __shared__ alignas(128) unsigned row[4 * 32];
    __shared__ uint64_t barrier;
    const unsigned rank = rank_in_cluster();
    for (unsigned i = threadIdx.x; i < 128; i += 32) row[i] = 9;
    fence_for_copies();
    begin_barrier(barrier, 1, ranks >> rank & 1 ? sizeof row : 0);
    if (threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1], %2, [%3], %4;" ::"r"(shared_at(row + rank * 32)),
            "l"(in + blockIdx.x * 32), "r"(128), "r"(shared_at(&barrier)),
            "h"(static_cast<unsigned short>(ranks))
            : "memory");
    if (ranks >> rank & 1) wait(barrier, 0);
    for (unsigned i = threadIdx.x; i < 128; i += 32) out[blockIdx.x * 128 + i] = row[i];
    cluster_sync();
}

int main() {
    const DeviceArray<unsigned> out(1024);
    unsigned* words = out;
    const auto first = [&](int count) {
        auto values = out.read();
        values.resize(count);
        return values;
    };
    in_clusters(stores, 8, 64, 4, words);
    expect_equal(
        "st.async", first(512), for_threads<unsigned>(512, [](int i) {
            const int block = i / 64;
            return static_cast<unsigned>((block / 4 * 4 + (block + 3) % 4) * 64 + 63 - i % 64);
        }));
    in_clusters(stores_of_16, 2, 32, 2, words);
    expect_equal("st.async of 16 bytes", first(64), for_threads<unsigned>(64, [](int i) {
                     return ((i / 32 ^ 1) * 32 + i % 32) * 10u + 20;
                 }));
    const DeviceArray<unsigned long long> wide(64);
    in_clusters(stores_of_64_bits, 2, 32, 2, static_cast<unsigned long long*>(wide));
    expect_equal("st.async of 64 bits", wide.read(), for_threads<unsigned long long>(64, [](int i) {
                     return (1ull << 40) + (i / 32 ^ 1) * 32 + i % 32;
                 }));
    in_clusters(reductions, 2, 64, 2, words);
    expect_equal("red.async", first(16),
                 for_threads<unsigned>(16, [](int i) { return 1u + 8 * (i % 8) + 8 * 28; }));
    in_clusters(arrivals, 4, 32, 4, words);
    expect_equal("arriving at another block's mbarrier", first(96),
                 for_threads<unsigned>(96, [](int i) { return (i / 32 + 1) * 100u + i % 32; }));
    in_clusters(announced, 2, 32, 2, words);
    expect_equal("announcing bytes to another block", first(64),
                 for_threads<unsigned>(64, [](int i) { return (i / 32 ^ 1) + i % 32 * 4u; }));
    in_clusters(pipeline, 2, 32, 2, words, 6);
    expect_equal("a pipeline of two blocks", first(192),
                 for_threads<unsigned>(192, [](int i) { return i / 32 * 100u + 31 - i % 32; }));
    in_clusters(bulk, 4, 32, 2, words);
    expect_equal("a bulk copy between blocks", first(1024), for_threads<unsigned>(1024, [](int i) {
                     return static_cast<unsigned>((i / 256 ^ 1) * 256 + i % 256);
                 }));
    in_clusters(bulk_ring, 4, 64, 4, words, 3);
    expect_equal("bulk copies round a ring", first(256), for_threads<unsigned>(256, [](int i) {
                     return static_cast<unsigned>((i / 64 + 1) % 4 * 64 + i % 64);
                 }));
    const DeviceArray<unsigned> in(for_threads<unsigned>(256, [](int i) { return i * 5u; }));
    const unsigned* from = static_cast<unsigned*>(in);
    in_clusters(multicast, 8, 32, 4, words, from, 15u);
    expect_equal("multicast to all", first(1024),
                 for_threads<unsigned>(1024, [](int i) { return (i / 512 * 128 + i % 128) * 5u; }));
    in_clusters(multicast, 4, 32, 4, words, from, 10u);
    expect_equal("multicast to some", first(512),
                 for_threads<unsigned>(512, [](int i) { return i / 128 % 2 ? i % 128 * 5u : 9u; }));
}
