// The kernels of bugs/clusters.cu and bugs/cluster_copies.cu, with their mistakes corrected.
#include "../bulk.h"
#include "../cases.h"
#include "../clusters.h"

/// Launches two clusters of two blocks of 64 threads. Returns the 256 numbers that they write.
template <class... Parameters, class... Arguments>
static std::vector<int> pairs(void (*kernel)(int*, Parameters...), Arguments... arguments) {
    int* out = device_zeros<int>(256);
    need(launch_clusters(kernel, dim3(4), dim3(64), dim3(2), 0, out, arguments...));
    return to_host(out, 256);
}
template <class Wanted>
static void check(const std::vector<int>& got, const char* what, Wanted wanted) {
    for (int i = 0; i < 256; ++i) expect(got[i] == wanted(i / 64, i % 64), what);
}
__device__ int& place(int* out) {
    return out[blockIdx.x * 64 + threadIdx.x];
}
__device__ void load_for(void* to, const void* from, unsigned bytes, uint64_t& barrier,
                         unsigned ranks) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1], %2, [%3], "
        "%4;" ::"r"(shared_at(to)),
        "l"(from), "r"(bytes), "r"(shared_at(&barrier)), "h"(static_cast<unsigned short>(ranks))
        : "memory");
}
__device__ void load_box_for(void* to, const CUtensorMap& map, uint64_t& barrier, unsigned ranks) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
        "cluster [%0], [%1, "
        "{%2, %2}], [%3], %4;" ::"r"(shared_at(to)),
        "l"(&map), "r"(0), "r"(shared_at(&barrier)), "h"(static_cast<unsigned short>(ranks))
        : "memory");
}
__device__ void copy_to(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(to),
        "r"(shared_at(from)), "r"(bytes), "r"(barrier)
        : "memory");
}
__device__ void store_later(unsigned to, unsigned value, unsigned barrier) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to),
        "r"(value), "r"(barrier)
        : "memory");
}
__device__ void prepare(uint64_t& barrier, unsigned bytes) {
    if (threadIdx.x == 0) init(barrier, 1), expect_bytes(barrier, bytes);
    fence_for_copies();
    cluster_sync();
}

// clean read_after_barrier
__global__ void reads_after_barrier(int* out, const int* in) {
    __shared__ int values[64];
    values[threadIdx.x] = in[threadIdx.x];
    cluster_sync();
    place(out) = mapped_pointer(values, rank_in_cluster() ^ 1)[threadIdx.x];
    cluster_sync();
}
static void read_after_barrier() {
    check(pairs(reads_after_barrier, static_cast<const int*>(device_iota<int>(64))), "read",
          [](int, int t) { return t; });
}

// clean barrier_before_reuse
__global__ void reuses(int* out) {
    __shared__ int values[64];
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        values[threadIdx.x] = threadIdx.x + round;
        cluster_sync();
        sum += mapped_pointer(values, rank_in_cluster() ^ 1)[63 - threadIdx.x];
        cluster_sync();
    }
    place(out) = sum;
}
static void barrier_before_reuse() {
    check(pairs(reuses), "reuse", [](int, int t) { return 3 * (63 - t) + 3; });
}

// clean one_block_stores
__global__ void one_stores(int* out) {
    __shared__ int value;
    cluster_sync();
    if (threadIdx.x == 0 && rank_in_cluster() == 1) *mapped_pointer(&value, 0) = blockIdx.x;
    cluster_sync();
    place(out) = *mapped_pointer(&value, 0);
    cluster_sync();
}
static void one_block_stores() {
    check(pairs(one_stores), "one stores", [](int block, int) { return block | 1; });
}

// clean private_between_arrival_and_wait
__global__ void split(int* out) {
    __shared__ int values[64], own[64];
    values[threadIdx.x] = threadIdx.x;
    cluster_arrive();
    own[threadIdx.x] = 2;
    cluster_wait();
    place(out) = mapped_pointer(values, rank_in_cluster() ^ 1)[threadIdx.x] + own[threadIdx.x];
    cluster_sync();
}
static void private_between_arrival_and_wait() {
    check(pairs(split), "split", [](int, int t) { return t + 2; });
}

// clean relaxed_after_release
__global__ void relaxed_last(int* out) {
    __shared__ int value;
    if (threadIdx.x == 0) value = blockIdx.x;
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    const int theirs = *mapped_pointer(&value, rank_in_cluster() ^ 1);
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    place(out) = theirs;
}
static void relaxed_after_release() {
    check(pairs(relaxed_last), "relaxed", [](int block, int) { return block ^ 1; });
}

// clean sum_by_atomics
__global__ void adds(int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    cluster_sync();
    atomicAdd(mapped_pointer(&sum, 0), 1);
    cluster_sync();
    place(out) = *mapped_pointer(&sum, 0);
    cluster_sync();
}
static void sum_by_atomics() {
    check(pairs(adds), "sum", [](int, int) { return 128; });
}

// clean last_barrier_before_the_end
__global__ void meets_before_the_end(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    cluster_sync();
    if (rank_in_cluster() == 0)
        place(out) = mapped_pointer(values, 1)[63 - threadIdx.x];
    else
        mapped_pointer(values, 0)[threadIdx.x] = 5;
    cluster_sync();
    if (rank_in_cluster() == 1) place(out) = 1;
}
static void last_barrier_before_the_end() {
    check(pairs(meets_before_the_end), "end",
          [](int block, int t) { return block % 2 ? 1 : 63 - t; });
}

// clean both_wait_for_multicast
__global__ void all_wait(int* out, const int* in) {
    __shared__ alignas(128) int run[64];
    __shared__ uint64_t barrier;
    run[threadIdx.x] = 0;
    prepare(barrier, sizeof run);
    if (threadIdx.x == 0 && rank_in_cluster() == 0) load_for(run, in, sizeof run, barrier, 3);
    wait(barrier, 0);
    place(out) = run[threadIdx.x];
    cluster_sync();
}
static void both_wait_for_multicast() {
    check(pairs(all_wait, static_cast<const int*>(device_iota<int>(64))), "multicast",
          [](int, int t) { return t; });
}

// clean multicast_to_one_of_two
__global__ void only_the_other(int* out, const int* in) {
    __shared__ alignas(128) int run[64];
    __shared__ uint64_t barrier;
    run[threadIdx.x] = -1;
    if (threadIdx.x == 0 && rank_in_cluster() == 1)
        init(barrier, 1), expect_bytes(barrier, sizeof run);
    fence_for_copies();
    cluster_sync();
    if (threadIdx.x == 0 && rank_in_cluster() == 0) load_for(run, in, sizeof run, barrier, 2);
    if (rank_in_cluster() == 1) wait(barrier, 0);
    place(out) = run[threadIdx.x];
    cluster_sync();
}
static void multicast_to_one_of_two() {
    check(pairs(only_the_other, static_cast<const int*>(device_iota<int>(64))), "one of two",
          [](int block, int t) { return block % 2 ? t : -1; });
}

// clean halves_of_a_box
// Each block sends one half of the box to both blocks.
__global__ void both_send(int* out, const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int halves[2][32];
    __shared__ uint64_t barrier;
    prepare(barrier, sizeof halves);
    if (threadIdx.x == 0) load_box_for(halves[rank_in_cluster()], map, barrier, 3);
    wait(barrier, 0);
    place(out) = halves[threadIdx.x / 32][threadIdx.x % 32];
    cluster_sync();
}
static void halves_of_a_box() {
    check(pairs(both_send, map_of(device_iota<int>(64), 8, 8, 4, 8)), "halves",
          [](int, int t) { return t % 32; });
}

// clean sender_stays
__global__ void sends(int* out) {
    __shared__ alignas(128) int from[64], to[64];
    __shared__ uint64_t barrier;
    from[threadIdx.x] = threadIdx.x + blockIdx.x;
    prepare(barrier, sizeof to);
    const unsigned next = rank_in_cluster() ^ 1;
    if (threadIdx.x == 0) copy_to(mapped(to, next), from, sizeof to, mapped(&barrier, next));
    wait(barrier, 0);
    place(out) = to[threadIdx.x];
    cluster_sync();
    from[threadIdx.x] = -1;
}
static void sender_stays() {
    check(pairs(sends), "sends", [](int block, int t) { return t + (block ^ 1); });
}

// clean stores_announced
__global__ void announced(int* out) {
    __shared__ int values[64];
    __shared__ uint64_t barrier;
    values[threadIdx.x] = 1;
    prepare(barrier, sizeof values);
    const unsigned next = rank_in_cluster() ^ 1;
    store_later(mapped(&values[threadIdx.x], next), threadIdx.x * 3, mapped(&barrier, next));
    wait(barrier, 0);
    place(out) = values[threadIdx.x];
    cluster_sync();
}
static void stores_announced() {
    check(pairs(announced), "st.async", [](int, int t) { return 3 * t; });
}

// clean changes_announced
__global__ void changed(int* out) {
    __shared__ int values[8];
    __shared__ uint64_t barrier;
    if (threadIdx.x < 8) values[threadIdx.x] = 1;
    prepare(barrier, 64 * 4);
    const unsigned next = rank_in_cluster() ^ 1;
    asm volatile(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, "
        "[%2];" ::"r"(mapped(&values[threadIdx.x % 8], next)),
        "r"(threadIdx.x), "r"(mapped(&barrier, next))
        : "memory");
    wait(barrier, 0);
    place(out) = values[threadIdx.x % 8];
    cluster_sync();
}
static void changes_announced() {
    check(pairs(changed), "red.async", [](int, int t) { return 1 + 8 * (t % 8) + 8 * 28; });
}

// clean arrivals_at_another_barrier
__global__ void arrives_there(int* out) {
    __shared__ int values[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) init(barrier, 64);
    cluster_sync();
    const unsigned next = rank_in_cluster() ^ 1;
    store_to(mapped(&values[threadIdx.x], next), threadIdx.x + 7);
    asm volatile(
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&barrier, next))
        : "memory");
    wait(barrier, 0);
    place(out) = values[63 - threadIdx.x];
    cluster_sync();
}
static void arrivals_at_another_barrier() {
    check(pairs(arrives_there), "arrivals", [](int, int t) { return 63 - t + 7; });
}

// clean maximum_by_cas
__global__ void largest(int* out) {
    __shared__ unsigned long long most;
    if (threadIdx.x == 0) most = 0;
    cluster_sync();
    unsigned long long* const there = mapped_pointer(&most, rank_in_cluster() ^ 1);
    const unsigned long long mine = 1000 - threadIdx.x;
    unsigned long long seen = 0, before;
    do {
        before = seen;
        seen = atomicCAS(there, before, before > mine ? before : mine);
    } while (seen != before);
    cluster_sync();
    place(out) = static_cast<int>(most);
}
static void maximum_by_cas() {
    check(pairs(largest), "maximum", [](int, int) { return 1000; });
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"read_after_barrier", read_after_barrier},
                        {"barrier_before_reuse", barrier_before_reuse},
                        {"one_block_stores", one_block_stores},
                        {"private_between_arrival_and_wait", private_between_arrival_and_wait},
                        {"relaxed_after_release", relaxed_after_release},
                        {"sum_by_atomics", sum_by_atomics},
                        {"last_barrier_before_the_end", last_barrier_before_the_end},
                        {"both_wait_for_multicast", both_wait_for_multicast},
                        {"multicast_to_one_of_two", multicast_to_one_of_two},
                        {"halves_of_a_box", halves_of_a_box},
                        {"sender_stays", sender_stays},
                        {"stores_announced", stores_announced},
                        {"changes_announced", changes_announced},
                        {"arrivals_at_another_barrier", arrivals_at_another_barrier},
                        {"maximum_by_cas", maximum_by_cas},
                    });
}
