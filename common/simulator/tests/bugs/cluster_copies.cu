// Mistakes in copies, asynchronous stores and atomics between the blocks of a cluster.
// clean/cluster_twins.cu contains each of these kernels without its mistake.
#include "../bulk.h"
#include "../cases.h"
#include "../clusters.h"

// These copies are macros, so that a report names the line in the kernel that uses the macro.
#define MULTICAST(to, from, bytes, barrier, ranks)                                                  \
    asm volatile(                                                                                   \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "     \
        "[%0], [%1], %2, [%3], %4;" ::"r"(shared_at(to)), "l"(from),                                \
        "r"(static_cast<unsigned>(bytes)), "r"(shared_at(barrier)),                                 \
        "h"(static_cast<unsigned short>(ranks)) : "memory")
#define MULTICAST_BOX(to, map, barrier, ranks)                                                      \
    asm volatile(                                                                                   \
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"               \
        ".multicast::cluster [%0], [%1, {%2, %2}], [%3], %4;" ::"r"(shared_at(to)), "l"(&map),      \
        "r"(0), "r"(shared_at(barrier)), "h"(static_cast<unsigned short>(ranks)) : "memory")
#define COPY_TO(to, from, bytes, barrier)                                                           \
    asm volatile(                                                                                   \
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "   \
        "[%3];" ::"r"(to), "r"(shared_at(from)), "r"(static_cast<unsigned>(bytes)), "r"(barrier)    \
        : "memory")
#define STORE_LATER(to, value, barrier)                                                             \
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), \
                 "r"(value), "r"(barrier) : "memory")

#define WAIT(barrier)                                                                               \
    for (unsigned over = 0; !over;)                                                                 \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" \
                 : "=r"(over) : "r"(shared_at(&barrier)) : "memory")

template <class... Parameters, class... Arguments>
static void pairs(void (*kernel)(Parameters...), Arguments... arguments) {
    need(launch_clusters(kernel, dim3(4), dim3(64), dim3(2), 0, arguments...));
}

// ---- multicast ----

__global__ void only_sender_waits(int* out, const int* in) {
    __shared__ alignas(128) int run[64];
    __shared__ uint64_t barrier;
    run[threadIdx.x] = 0;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, sizeof run);
    fence_for_copies();
    cluster_sync();
    if (threadIdx.x == 0 && rank_in_cluster() == 0) MULTICAST(run, in, sizeof run, &barrier, 3);  // other receiver_does_not_wait
    if (rank_in_cluster() == 0) wait(barrier, 0);
    cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = run[threadIdx.x];  // bug receiver_does_not_wait: racecheck: read after write
    wait(barrier, 0);
    cluster_sync();
}
static void receiver_does_not_wait() {
    pairs(only_sender_waits, device_zeros<int>(256), device_iota<int>(64));
}

__global__ void one_barrier_made(int* out, const int* in) {
    __shared__ alignas(128) int run[64];
    __shared__ uint64_t barrier;
    run[threadIdx.x] = 0;
    if (threadIdx.x == 0 && rank_in_cluster() == 0) init(barrier, 1), expect_bytes(barrier, sizeof run);
    fence_for_copies();
    cluster_sync();
    if (threadIdx.x == 0 && rank_in_cluster() == 0) MULTICAST(run, in, sizeof run, &barrier, 3);  // bug receiver_has_no_barrier: synccheck: mbarrier not initialised
    if (rank_in_cluster() == 0) wait(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = run[threadIdx.x];
    cluster_sync();
}
static void receiver_has_no_barrier() {
    pairs(one_barrier_made, device_zeros<int>(256), device_iota<int>(64));
}

__global__ void to_three_blocks(int* out, const int* in) {
    __shared__ alignas(128) int run[64];
    __shared__ uint64_t barrier;
    run[threadIdx.x] = 0;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, sizeof run);
    fence_for_copies();
    cluster_sync();
    if (threadIdx.x == 0 && rank_in_cluster() == 0) MULTICAST(run, in, sizeof run, &barrier, 7);  // bug no_such_receiver: memcheck: out of bounds
    wait(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = run[threadIdx.x];
    cluster_sync();
}
static void no_such_receiver() {
    pairs(to_three_blocks, device_zeros<int>(256), device_iota<int>(64));
}

__global__ void box_for_both(int* out, const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int box[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, sizeof box);
    cluster_sync();
    if (threadIdx.x == 0 && rank_in_cluster() == 0) MULTICAST_BOX(box, map, &barrier, 3);  // bug receiver_ends: memcheck: block has ended
    if (rank_in_cluster() == 1) return;
    wait(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = box[threadIdx.x];
}
static void receiver_ends() {
    pairs(box_for_both, device_zeros<int>(256), map_of(device_iota<int>(64), 8, 8, 8, 8));
}

__global__ void box_of_both(int* out, const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int box[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, 2 * sizeof box);
    cluster_sync();
    if (threadIdx.x == 0) MULTICAST_BOX(box, map, &barrier, 3);  // bug two_senders: racecheck: write after write // other two_senders
    wait(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = box[threadIdx.x];
    cluster_sync();
}
static void two_senders() {
    pairs(box_of_both, device_zeros<int>(256), map_of(device_iota<int>(64), 8, 8, 8, 8));
}

// ---- copies between blocks ----

__global__ void source_ends(int* out) {
    __shared__ alignas(128) int from[64], to[64];
    __shared__ uint64_t barrier;
    from[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, sizeof to);
    fence_for_copies();
    cluster_sync();
    if (rank_in_cluster() == 0) {
        if (threadIdx.x == 0) COPY_TO(mapped(to, 1), from, sizeof to, mapped(&barrier, 1));  // bug sender_ends: synccheck: copy not waited for
        return;
    }
    wait(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = to[threadIdx.x];
}
static void sender_ends() {
    pairs(source_ends, device_zeros<int>(256));
}

__global__ void own_barrier_told(int* out) {
    __shared__ alignas(128) int from[64], to[64];
    __shared__ uint64_t barrier;
    from[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, sizeof to);
    fence_for_copies();
    cluster_sync();
    const unsigned next = rank_in_cluster() ^ 1;
    if (threadIdx.x == 0) COPY_TO(mapped(to, next), from, sizeof to, shared_at(&barrier));  // bug barrier_of_the_sender: memcheck: mbarrier of another block
    wait(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = to[threadIdx.x];
    cluster_sync();
}
static void barrier_of_the_sender() {
    pairs(own_barrier_told, device_zeros<int>(256));
}

__global__ void source_changed(int* out) {
    __shared__ alignas(128) int from[64], to[64];
    __shared__ uint64_t barrier;
    from[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, sizeof to);
    fence_for_copies();
    cluster_sync();
    const unsigned next = rank_in_cluster() ^ 1;
    if (threadIdx.x == 0) COPY_TO(mapped(to, next), from, sizeof to, mapped(&barrier, next));  // other changed_while_copied
    __syncthreads();
    from[threadIdx.x] = -1;  // bug changed_while_copied: racecheck: write after read
    wait(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = to[threadIdx.x];
    cluster_sync();
}
static void changed_while_copied() {
    pairs(source_changed, device_zeros<int>(256));
}

// ---- st.async ----

__global__ void half_announced(int* out) {
    __shared__ int values[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, 128);
    cluster_sync();
    const unsigned next = rank_in_cluster() ^ 1;
    STORE_LATER(mapped(&values[threadIdx.x], next), threadIdx.x, mapped(&barrier, next));
    cluster_sync();
    WAIT(barrier);  // bug too_few_announced: synccheck: too few bytes
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
    cluster_sync();
}
static void too_few_announced() {
    pairs(half_announced, device_zeros<int>(256));
}

__global__ void nothing_comes(int* out) {
    __shared__ int values[64];
    __shared__ uint64_t barrier;
    values[threadIdx.x] = 0;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, sizeof values);
    cluster_sync();
    const unsigned next = rank_in_cluster() ^ 1;
    if (threadIdx.x < 32) STORE_LATER(mapped(&values[threadIdx.x], next), threadIdx.x, mapped(&barrier, next));
    WAIT(barrier);  // bug half_stored: synccheck: deadlock
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
    cluster_sync();
}
static void half_stored() {
    pairs(nothing_comes, device_zeros<int>(256));
}

__global__ void changed_by_two(int* out) {
    __shared__ int values[64];
    __shared__ uint64_t barrier;
    values[threadIdx.x] = 0;
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, sizeof values);
    cluster_sync();
    const unsigned next = rank_in_cluster() ^ 1;
    values[threadIdx.x] = 1;  // bug stored_by_both: racecheck: write after write
    STORE_LATER(mapped(&values[threadIdx.x], next), threadIdx.x, mapped(&barrier, next));  // other stored_by_both
    wait(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
    cluster_sync();
}
static void stored_by_both() {
    pairs(changed_by_two, device_zeros<int>(256));
}

// ---- instructions that cannot access the memory of another block ----

__global__ void copies_by_cp_async(int* out, const int* in) {
    __shared__ alignas(16) int values[256];
    for (int i = threadIdx.x; i < 256; i += 64) values[i] = 0;
    cluster_sync();
    const unsigned there = mapped(&values[threadIdx.x * 4], rank_in_cluster() ^ 1);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(there), "l"(in + threadIdx.x * 4) : "memory");  // bug cp_async_to_another_block: memcheck: other block
    asm volatile("cp.async.wait_all;" ::: "memory");
    cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
}
static void cp_async_to_another_block() {
    pairs(copies_by_cp_async, device_zeros<int>(256), device_iota<int>(256));
}

__global__ void waits_elsewhere(int* out) {
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) init(barrier, 64);
    cluster_sync();
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(&barrier)) : "memory");
    unsigned over = 0;
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(mapped(&barrier, rank_in_cluster() ^ 1)) : "memory");  // bug waits_at_another_barrier: memcheck: other block
    out[blockIdx.x] = 1;
    cluster_sync();
}
static void waits_at_another_barrier() {
    pairs(waits_elsewhere, device_zeros<int>(4));
}

/// The maximum is not atomic in another block's memory, so an H200 loses most of the 64 updates.
__global__ void largest(unsigned long long* out) {
    __shared__ unsigned long long most;
    if (threadIdx.x == 0) most = 0;
    cluster_sync();
    atomicMax(mapped_pointer(&most, rank_in_cluster() ^ 1), 1000ull - threadIdx.x);  // bug maximum_of_64_bits: racecheck: not atomic
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = most;
}
static void maximum_of_64_bits() {
    pairs(largest, device_zeros<unsigned long long>(4));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"receiver_does_not_wait", receiver_does_not_wait},
                        {"receiver_has_no_barrier", receiver_has_no_barrier},
                        {"no_such_receiver", no_such_receiver},
                        {"receiver_ends", receiver_ends},
                        {"two_senders", two_senders},
                        {"sender_ends", sender_ends},
                        {"barrier_of_the_sender", barrier_of_the_sender},
                        {"changed_while_copied", changed_while_copied},
                        {"too_few_announced", too_few_announced},
                        {"half_stored", half_stored},
                        {"stored_by_both", stored_by_both},
                        {"cp_async_to_another_block", cp_async_to_another_block},
                        {"waits_at_another_barrier", waits_at_another_barrier},
                        {"maximum_of_64_bits", maximum_of_64_bits},
                    });
}
