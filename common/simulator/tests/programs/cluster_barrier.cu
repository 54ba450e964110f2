// Tests barrier.cluster with threads that arrive, wait, or have already exited.
// expect: rounds: ok
// expect: work between arrival and wait: ok
// expect: a block that has ended: ok
// expect: threads that have ended: ok
// expect: diverged lanes: ok
// expect: different places: ok
// expect: relaxed, with a fence: ok
// expect: global memory: ok
// expect: warps at other barriers: ok
// expect: one block alone: ok
#include "cluster_check.h"

__global__ void rounds(unsigned* out, int count) {
    __shared__ unsigned value[2];
    if (threadIdx.x == 0) value[0] = rank_in_cluster();
    cluster_sync();
    for (int r = 0; r < count; ++r) {
        if (threadIdx.x == 0)
            value[(r + 1) % 2] =
                load_from(mapped(&value[r % 2], (rank_in_cluster() + 1) % blocks_in_cluster())) + 1;
        cluster_sync();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = value[count % 2];
}

/// Processes private data between the arrival and the wait.
__global__ void split(unsigned* out) {
    __shared__ unsigned values[64], own[64];
    values[threadIdx.x] = blockIdx.x * 64 + threadIdx.x;
    cluster_arrive();
    own[threadIdx.x] = threadIdx.x * 5;
    unsigned sum = own[threadIdx.x];
    for (unsigned i = 0; i < rank_in_cluster() * 50; ++i) sum += i;
    cluster_wait();
    sum += load_from(mapped(&values[63 - threadIdx.x], rank_in_cluster() ^ 1));
    cluster_arrive();
    out[blockIdx.x * 64 + threadIdx.x] = sum;
    cluster_wait();
}

__global__ void ended_block(unsigned* out) {
    if (rank_in_cluster() == 1) return;
    cluster_sync();
    cluster_sync();
    out[blockIdx.x] = 6;
}

__global__ void ended_threads(unsigned* out) {
    __shared__ unsigned value;
    if (threadIdx.x == 0) value = blockIdx.x + 40;
    if (threadIdx.x >= 40 || threadIdx.x % 3 == 1) return;
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = load_from(mapped(&value, rank_in_cluster() ^ 1));
    cluster_sync();
}

__global__ void diverged(unsigned* out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = threadIdx.x + blockIdx.x;
    if (threadIdx.x % 2) {
        values[threadIdx.x] += 100;
        cluster_sync();
    } else {
        values[threadIdx.x] += 200;
        cluster_sync();
    }
    out[blockIdx.x * 32 + threadIdx.x] =
        load_from(mapped(&values[threadIdx.x], rank_in_cluster() ^ 1));
    cluster_sync();
}

/// Blocks 0 and 1 wait for each other at different lines of the source.
__global__ void places(unsigned* out) {
    __shared__ unsigned value;
    if (rank_in_cluster() == 0) {
        if (threadIdx.x == 0) value = 11;
        cluster_sync();
    } else {
        if (threadIdx.x == 0) value = 22;
        cluster_sync();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = load_from(mapped(&value, rank_in_cluster() ^ 1));
    cluster_sync();
}

__global__ void relaxed(unsigned* out) {
    __shared__ unsigned value;
    if (threadIdx.x == 0) value = blockIdx.x * 3 + 1;
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    if (threadIdx.x == 0) out[blockIdx.x] = load_from(mapped(&value, rank_in_cluster() ^ 1));
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

/// The cluster barrier also orders accesses to global memory.
__global__ void global_memory(unsigned* out, unsigned* between) {
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int round = 0; round < 3; ++round) {
        between[i] = i + round;
        cluster_sync();
        out[i] = between[(blockIdx.x ^ 1) * blockDim.x + (t + 1) % blockDim.x];
        cluster_sync();
    }
}

/// Warp 0 waits for the other block, while the other warps of its block wait at a block barrier.
__global__ void mixed(unsigned* out) {
    __shared__ unsigned value, parts[4];
    const unsigned warp = threadIdx.x / 32;
    if (threadIdx.x == 0) value = 5 + blockIdx.x;
    if (threadIdx.x % 32 == 0) parts[warp] = warp;
    if (warp > 0) asm volatile("bar.sync 1, 96;" ::: "memory");
    cluster_sync();
    if (threadIdx.x == 32)
        out[blockIdx.x] =
            load_from(mapped(&value, rank_in_cluster() ^ 1)) * 10 + parts[1] + parts[2] + parts[3];
    cluster_sync();
}

__global__ void alone(unsigned* out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = threadIdx.x * 2;
    cluster_sync();
    out[threadIdx.x] = values[63 - threadIdx.x];
}

int main() {
    const DeviceArray<unsigned> out(256), between(256);
    unsigned* words = out;
    const auto first = [&](int count) {
        auto values = out.read();
        values.resize(count);
        return values;
    };
    in_clusters(rounds, 8, 64, 4, words, 7);
    expect_equal("rounds", first(8),
                 for_threads<unsigned>(8, [](int i) { return (i % 4 + 7) % 4 + 7u; }));
    in_clusters(split, 4, 64, 2, words);
    expect_equal("work between arrival and wait", first(256), for_threads<unsigned>(256, [](int i) {
                     const unsigned t = i % 64, turns = i / 64 % 2 * 50;
                     return t * 5 + turns * (turns ? turns - 1 : 0) / 2 + (i / 64 ^ 1) * 64 + 63 -
                            t;
                 }));
    MUST(cudaMemset(out, 0, 16));
    in_clusters(ended_block, 2, 64, 2, words);
    expect_equal("a block that has ended", first(2), {6, 0});
    in_clusters(ended_threads, 2, 64, 2, words);
    expect_equal("threads that have ended", first(2), {41, 40});
    in_clusters(diverged, 2, 32, 2, words);
    expect_equal("diverged lanes", first(64), for_threads<unsigned>(64, [](int i) {
                     return i % 32 + (i / 32 ^ 1) + (i % 2 ? 100u : 200u);
                 }));
    in_clusters(places, 2, 64, 2, words);
    expect_equal("different places", first(2), {22, 11});
    in_clusters(relaxed, 2, 64, 2, words);
    expect_equal("relaxed, with a fence", first(2), {4, 1});
    in_clusters(global_memory, 4, 64, 2, words, static_cast<unsigned*>(between));
    expect_equal("global memory", first(256), for_threads<unsigned>(256, [](int i) {
                     return (i / 64 ^ 1) * 64 + (i % 64 + 1) % 64 + 2u;
                 }));
    in_clusters(mixed, 2, 128, 2, words);
    expect_equal("warps at other barriers", first(2), {66, 56});
    alone<<<1, 64>>>(words);
    expect_equal("one block alone", first(64),
                 for_threads<unsigned>(64, [](int i) { return (63 - i) * 2u; }));
}
