// Blocks of a cluster that access each other's shared memory too early, too late or out of bounds.
#include "../bulk.h"
#include "../cases.h"
#include "../clusters.h"

template <class... Parameters, class... Arguments>
static void pairs(void (*kernel)(Parameters...), Arguments... arguments) {
    need(launch_clusters(kernel, dim3(4), dim3(64), dim3(2), 0, arguments...));
}

// ---- races ----

__global__ void reads_at_once(int* out, const int* in) {
    __shared__ int values[64];
    const int t = threadIdx.x;
    cluster_sync();
    const int* theirs = mapped_pointer(values, rank_in_cluster() ^ 1);
    values[t] = in[t];  // other no_barrier
    __syncthreads();
    out[blockIdx.x * 64 + t] = theirs[t];  // bug no_barrier: racecheck: read after write
    cluster_sync();
}
static void no_barrier() {
    pairs(reads_at_once, device_zeros<int>(256), device_iota<int>(64));
}

__global__ void overwrites(int* out) {
    __shared__ int values[64];
    const int t = threadIdx.x;
    const int* theirs = mapped_pointer(values, rank_in_cluster() ^ 1);
    for (int round = 0; round < 2; ++round) {
        values[t] = t + round;  // bug no_barrier_before_reuse: racecheck: write after read
        cluster_sync();
        out[blockIdx.x * 64 + t] = theirs[63 - t];  // other no_barrier_before_reuse
    }
    cluster_sync();
}
static void no_barrier_before_reuse() {
    pairs(overwrites, device_zeros<int>(256));
}

__global__ void both_store(int* out) {
    __shared__ int value;
    int* first = mapped_pointer(&value, 0);
    cluster_sync();
    if (threadIdx.x == 0) *first = blockIdx.x;  // bug two_blocks_store: racecheck: write after write // other two_blocks_store
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = *first;
    cluster_sync();
}
static void two_blocks_store() {
    pairs(both_store, device_zeros<int>(4));
}

/// Accesses between arriving at the barrier and waiting are unordered with other blocks' accesses.
__global__ void between(int* out) {
    __shared__ int values[64];
    const int t = threadIdx.x;
    values[t] = t;
    cluster_sync();
    const int* theirs = mapped_pointer(values, rank_in_cluster() ^ 1);
    cluster_arrive();
    values[t] = t + 1;  // other stored_after_arrival
    cluster_wait();
    out[blockIdx.x * 64 + t] = theirs[t];  // bug stored_after_arrival: racecheck: read after write
    cluster_sync();
}
static void stored_after_arrival() {
    pairs(between, device_zeros<int>(256));
}

__global__ void without_release(int* out) {
    __shared__ int value;
    if (threadIdx.x == 0) value = blockIdx.x;  // other relaxed_arrival
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    cluster_wait();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *mapped_pointer(&value, rank_in_cluster() ^ 1);  // bug relaxed_arrival: racecheck: read after write
    cluster_sync();
}
static void relaxed_arrival() {
    pairs(without_release, device_zeros<int>(4));
}

__global__ void adds_without_atomics(int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    cluster_sync();
    int* first = mapped_pointer(&sum, 0);
    if (threadIdx.x == 0) *first += 1;  // bug sum_without_atomics: racecheck: write after read // other sum_without_atomics
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
static void sum_without_atomics() {
    pairs(adds_without_atomics, device_zeros<int>(4));
}

__global__ void through_global_memory(int* out, int* between) {
    const int t = threadIdx.x;
    between[blockIdx.x * 64 + t] = t;  // other global_without_barrier
    __syncthreads();
    out[blockIdx.x * 64 + t] = between[(blockIdx.x ^ 1) * 64 + t];  // bug global_without_barrier: globalrace: read after write
}
static void global_without_barrier() {
    pairs(through_global_memory, device_zeros<int>(256), device_zeros<int>(256));
}

// ---- blocks that end ----

__global__ void last_read(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    cluster_sync();
    const int* theirs = mapped_pointer(values, rank_in_cluster() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x];  // bug no_last_barrier: memcheck: block has ended
}
static void no_last_barrier() {
    pairs(last_read, device_zeros<int>(256));
}

__global__ void first_ends(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    cluster_sync();
    if (rank_in_cluster() == 1) return;
    out[blockIdx.x * 64 + threadIdx.x] = *mapped_pointer(&values[threadIdx.x], 1);  // bug owner_ends: memcheck: block has ended
}
static void owner_ends() {
    pairs(first_ends, device_zeros<int>(256));
}

__global__ void last_store(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    cluster_sync();
    if (rank_in_cluster() == 1)
        mapped_pointer(values, 0)[threadIdx.x] = 5;  // bug stores_to_the_end: racecheck: block may have ended
    else
        out[blockIdx.x] = 1;
}
static void stores_to_the_end() {
    pairs(last_store, device_zeros<int>(4));
}

// ---- addresses ----

__global__ void beyond(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    cluster_sync();
    const int* theirs = mapped_pointer(values, rank_in_cluster() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x + 1];  // bug neighbour_out_of_bounds: memcheck: out of bounds
    cluster_sync();
}
static void neighbour_out_of_bounds() {
    pairs(beyond, device_zeros<int>(256));
}

__global__ void no_such_rank(int* out) {
    __shared__ int value;
    if (threadIdx.x == 0) value = 1;
    cluster_sync();
    out[blockIdx.x] = *mapped_pointer(&value, blocks_in_cluster());  // bug rank_too_large: memcheck: out of bounds
    cluster_sync();
}
static void rank_too_large() {
    pairs(no_such_rank, device_zeros<int>(4));
}

__global__ void odd_address(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = 1;
    cluster_sync();
    const char* bytes = reinterpret_cast<const char*>(mapped_pointer(values, rank_in_cluster() ^ 1));
    out[blockIdx.x] = *reinterpret_cast<const int*>(bytes + 2);  // bug misaligned_neighbour: memcheck: misaligned
    cluster_sync();
}
static void misaligned_neighbour() {
    pairs(odd_address, device_zeros<int>(4));
}

__global__ void own_instruction(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = 1;
    cluster_sync();
    int value;
    const unsigned there = mapped(values, rank_in_cluster() ^ 1);
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(there));  // bug other_block_by_shared: memcheck: other block
    out[blockIdx.x] = value;
    cluster_sync();
}
static void other_block_by_shared() {
    pairs(own_instruction, device_zeros<int>(4));
}

__global__ void without_cluster(int* out) {
    __shared__ int value;
    value = 1;
    out[0] = *mapped_pointer(&value, 1);  // bug launched_without_cluster: memcheck: out of bounds
}
static void launched_without_cluster() {
    without_cluster<<<1, 1>>>(device_zeros<int>(4));
}

__global__ void never_stored(int* out) {
    __shared__ int values[64];
    if (rank_in_cluster() == 0) values[threadIdx.x] = 1;
    cluster_sync();
    const int value = *mapped_pointer(&values[threadIdx.x], 1);  // bug unwritten_neighbour: initcheck: uninitialised shared read
    out[blockIdx.x * 64 + threadIdx.x] = value * 2 + values[threadIdx.x] * 0;
    cluster_sync();
}
static void unwritten_neighbour() {
    need(launch_clusters(never_stored, dim3(2), dim3(64), dim3(2), 0, device_zeros<int>(128)));
}

// ---- the barrier ----

__global__ void arrives_twice(int* out) {
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.arrive;" ::: "memory");  // bug no_wait: synccheck: missing wait
    cluster_wait();
    out[blockIdx.x] = 1;
}
static void no_wait() {
    pairs(arrives_twice, device_zeros<int>(4));
}

__global__ void ends_after_arrival(int* out) {
    out[blockIdx.x] = 1;
    asm volatile("barrier.cluster.arrive;" ::: "memory");  // bug no_last_wait: synccheck: missing wait
}
static void no_last_wait() {
    pairs(ends_after_arrival, device_zeros<int>(4));
}

__global__ void waits_alone(int* out) {
    asm volatile("barrier.cluster.wait;" ::: "memory");  // bug no_arrival: synccheck: missing arrival
    out[blockIdx.x] = 1;
}
static void no_arrival() {
    pairs(waits_alone, device_zeros<int>(4));
}

/// Block 1 waits for a flag that block 0 sets only after the barrier.
__global__ void waits_for_each_other(int* out) {
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    cluster_sync();
    if (rank_in_cluster() == 1 && threadIdx.x == 0)
        while (*static_cast<volatile int*>(&flag) == 0) {
        }
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");  // bug never_arrives: synccheck: deadlock
    if (rank_in_cluster() == 0) *mapped_pointer(&flag, 1) = 1;
    out[blockIdx.x] = 1;
}
static void never_arrives() {
    need(launch_clusters(waits_for_each_other, dim3(2), dim3(64), dim3(2), 0, device_zeros<int>(4)));
}

// ---- asynchronous stores and copies ----

__global__ void read_too_early(int* out) {
    __shared__ int values[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        init(barrier, 1);
        expect_bytes(barrier, sizeof values);
    }
    cluster_sync();
    const unsigned next = rank_in_cluster() ^ 1;
    const unsigned to = mapped(&values[threadIdx.x], next), told = mapped(&barrier, next);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(threadIdx.x), "r"(told) : "memory");  // other async_store_not_waited_for
    cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];  // bug async_store_not_waited_for: racecheck: read after write
    wait(barrier, 0);
    cluster_sync();
}
static void async_store_not_waited_for() {
    pairs(read_too_early, device_zeros<int>(256));
}

__global__ void remote_barrier_not_made(int* out) {
    __shared__ uint64_t barrier;
    if (rank_in_cluster() == 0 && threadIdx.x == 0) init(barrier, 1);
    cluster_sync();
    const unsigned there = mapped(&barrier, 1);
    if (rank_in_cluster() == 0 && threadIdx.x == 0)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");  // bug no_remote_barrier: synccheck: mbarrier not initialised
    out[blockIdx.x] = 1;
    cluster_sync();
}
static void no_remote_barrier() {
    pairs(remote_barrier_not_made, device_zeros<int>(4));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"no_barrier", no_barrier},
                        {"no_barrier_before_reuse", no_barrier_before_reuse},
                        {"two_blocks_store", two_blocks_store},
                        {"stored_after_arrival", stored_after_arrival},
                        {"relaxed_arrival", relaxed_arrival},
                        {"sum_without_atomics", sum_without_atomics},
                        {"global_without_barrier", global_without_barrier},
                        {"no_last_barrier", no_last_barrier},
                        {"owner_ends", owner_ends},
                        {"stores_to_the_end", stores_to_the_end},
                        {"neighbour_out_of_bounds", neighbour_out_of_bounds},
                        {"rank_too_large", rank_too_large},
                        {"misaligned_neighbour", misaligned_neighbour},
                        {"other_block_by_shared", other_block_by_shared},
                        {"launched_without_cluster", launched_without_cluster},
                        {"unwritten_neighbour", unwritten_neighbour},
                        {"no_wait", no_wait},
                        {"no_last_wait", no_last_wait},
                        {"no_arrival", no_arrival},
                        {"never_arrives", never_arrives},
                        {"async_store_not_waited_for", async_store_not_waited_for},
                        {"no_remote_barrier", no_remote_barrier},
                    });
}
