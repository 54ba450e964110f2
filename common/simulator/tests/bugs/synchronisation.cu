// Barriers and warp operations that some threads never reach, and waits that never end.
// by clang mbarrier_never_completes: clang attributes the loop to its first line
#include "../cases.h"

// Each branch has its own barrier, so lanes of one warp wait at different barriers.
__global__ void barrier_on_both_sides(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 2 == 0) {
        __syncthreads();  // bug divergent_if_else: synccheck: divergent barrier
        out[threadIdx.x] = values[63 - threadIdx.x];
    } else {
        values[threadIdx.x] += 1;
        __syncthreads();  // other divergent_if_else
        out[threadIdx.x] = values[63 - threadIdx.x] * 2;
    }
}
static void divergent_if_else() {
    barrier_on_both_sides<<<1, 64>>>(device_zeros<int>(64));
}

__global__ void guard_before_barrier(int* out, const int* in, int n) {
    __shared__ int values[64];
    const int t = threadIdx.x;
    if (t >= n) return;
    values[t] = in[t];
    __syncthreads();  // bug return_before_barrier: synccheck: exit before barrier
    out[t] = values[n - 1 - t];
}
static void return_before_barrier() {
    guard_before_barrier<<<1, 64>>>(device_zeros<int>(64), device_iota<int>(64), 50);
}

// One warp makes one more iteration than the other warps in a loop with a barrier.
__global__ void passes_by_warp(int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int passes = threadIdx.x < 32 ? 2 : 1;
    for (int i = 0; i < passes; ++i) {
        atomicAdd(&sum, 1);
        __syncthreads();  // bug trip_counts_differ: synccheck: exit before barrier
    }
    out[threadIdx.x] = passes;
}
static void trip_counts_differ() {
    passes_by_warp<<<1, 64>>>(device_zeros<int>(64));
}

// Threads of one warp exit one after another, while the others still wait at the barrier.
__global__ void passes_by_thread(int* out) {
    int sum = 0;
    for (int i = 0; i <= static_cast<int>(threadIdx.x) % 4; ++i) {
        sum += i;
        __syncthreads();  // bug barrier_in_ragged_loop: synccheck: exit before barrier
    }
    out[threadIdx.x] = sum;
}
static void barrier_in_ragged_loop() {
    passes_by_thread<<<1, 32>>>(device_zeros<int>(32));
}

// The mask includes all lanes, but half of the lanes take the other branch.
__global__ void shuffle_in_branch(int* out) {
    int value = threadIdx.x;
    if (threadIdx.x < 16) {
        value = __shfl_down_sync(0xffffffff, value, 1);  // bug mask_names_absent: synccheck: invalid warp mask
    } else {
        return;
    }
    out[threadIdx.x] = value;
}
static void mask_names_absent() {
    shuffle_in_branch<<<1, 32>>>(device_zeros<int>(32));
}

// The mask of a shuffle must include every thread that calls it.
__global__ void shuffle_without_self(int* out) {
    out[threadIdx.x] = __shfl_xor_sync(0x0000ffff, threadIdx.x, 1);  // bug mask_without_caller: synccheck: invalid warp mask
}
static void mask_without_caller() {
    shuffle_without_self<<<1, 32>>>(device_zeros<int>(32));
}

__global__ void syncwarp_partial(int* out) {
    __shared__ int values[32];
    values[threadIdx.x] = threadIdx.x;
    __syncwarp(0xfffffffe);  // bug syncwarp_without_lane: synccheck: invalid warp mask
    out[threadIdx.x] = values[threadIdx.x];
}
static void syncwarp_without_lane() {
    syncwarp_partial<<<1, 32>>>(device_zeros<int>(32));
}

// hangs on hardware: the thread that acquires the lock never releases it.
__global__ void never_unlock(int* lock, int* out) {
    while (atomicCAS(lock, 0, 1) != 0) {  // bug lock_never_released: synccheck: deadlock
    }
    atomicAdd(out, 1);
}
static void lock_never_released() {
    never_unlock<<<2, 32>>>(device_zeros<int>(1), device_zeros<int>(1));
}

// hangs on hardware: the loop waits for one block more than the grid has.
__global__ void wait_for_too_many(unsigned* arrived, int* out) {
    atomicAdd(arrived, 1);
    while (*reinterpret_cast<volatile unsigned*>(arrived) < gridDim.x + 1) {  // bug block_that_never_runs: synccheck: deadlock
    }
    out[blockIdx.x] = 1;
}
static void block_that_never_runs() {
    wait_for_too_many<<<2, 1>>>(device_zeros<unsigned>(1), device_zeros<int>(2));
}

// hangs on hardware: the barrier expects 96 threads, but the block has 64.
__global__ void barrier_for_three_warps(int* out) {
    asm volatile("bar.sync 1, 96;" ::: "memory");  // bug barrier_expects_more: synccheck: deadlock
    out[threadIdx.x] = 1;
}
static void barrier_expects_more() {
    barrier_for_three_warps<<<1, 64>>>(device_zeros<int>(64));
}

// hangs on hardware: each block holds the lock that the other block wants.
__global__ void two_locks(int* locks, int* waiting, int* out) {
    const int mine = blockIdx.x, other = 1 - blockIdx.x;
    atomicExch(&locks[mine], 1);
    atomicAdd(waiting, 1);
    while (*reinterpret_cast<volatile int*>(waiting) < 2) {
    }
    while (atomicCAS(&locks[other], 0, 1) != 0) {  // bug locks_in_opposite_order: synccheck: deadlock
    }
    out[mine] = 1;
}
static void locks_in_opposite_order() {
    two_locks<<<2, 1>>>(device_zeros<int>(2), device_zeros<int>(1), device_zeros<int>(2));
}

// hangs on hardware: no thread ever sets the flag.
__global__ void wait_for_flag(volatile int* flag, int* out) {
    while (*flag == 0) {  // bug flag_never_raised: synccheck: deadlock
    }
    *out = 1;
}
static void flag_never_raised() {
    wait_for_flag<<<1, 32>>>(device_zeros<int>(1), device_zeros<int>(1));
}

// hangs on hardware: the mbarrier expects 64 arrivals, but only 32 threads arrive.
__global__ void mbarrier_expects_more(int* out) {
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    int done = 0;
    while (!done) {
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(at), "l"(state)  // bug mbarrier_never_completes: synccheck: deadlock
            : "memory");
    }
    out[threadIdx.x] = 1;
}
static void mbarrier_never_completes() {
    mbarrier_expects_more<<<1, 32>>>(device_zeros<int>(32));
}

// ---- a second initialisation of a valid mbarrier, which is undefined ----

// Not a function, because clang's PTX does not state the line at which a function was inlined.
#define init_mbarrier(at, count) \
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory")
__device__ void meet_at_mbarrier(unsigned at) {
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    for (int done = 0; !done;) {
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(at), "l"(state)
            : "memory");
    }
}

// A thread of another warp initialises the mbarrier again before any thread arrives.
__global__ void two_inits(int* out) {
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) init_mbarrier(at, 64);  // other second_init_of_a_phase
    __syncthreads();
    if (threadIdx.x == 40) init_mbarrier(at, 64);  // bug second_init_of_a_phase: synccheck: mbarrier initialised twice
    __syncthreads();
    meet_at_mbarrier(at);
    out[threadIdx.x] = 1;
}
static void second_init_of_a_phase() {
    two_inits<<<1, 64>>>(device_zeros<int>(64));
}

// No thread uses the mbarrier any more, but it must be invalidated before the next initialisation.
__global__ void init_each_round(int* out) {
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x == 0) init_mbarrier(at, 64);  // bug init_in_every_round: synccheck: mbarrier initialised twice // other init_in_every_round
        __syncthreads();
        meet_at_mbarrier(at);
        out[threadIdx.x] = round;
        __syncthreads();
    }
}
static void init_in_every_round() {
    init_each_round<<<1, 64>>>(device_zeros<int>(64));
}

__global__ void all_init(int* out) {
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    init_mbarrier(at, 64);  // bug init_by_all_threads: synccheck: mbarrier initialised twice // other init_by_all_threads
    __syncthreads();
    meet_at_mbarrier(at);
    out[threadIdx.x] = 1;
}
static void init_by_all_threads() {
    all_init<<<1, 64>>>(device_zeros<int>(64));
}

// undefined on hardware: warps use the same barrier with different thread counts.
__global__ void barrier_counts(int* out) {
    const int threads = threadIdx.x < 96 ? 0 : 64;
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");  // bug barrier_counts_differ: synccheck: bad barrier
    out[threadIdx.x] = 1;
}
static void barrier_counts_differ() {
    barrier_counts<<<1, 128>>>(device_zeros<int>(128));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"divergent_if_else", divergent_if_else},
                        {"return_before_barrier", return_before_barrier},
                        {"trip_counts_differ", trip_counts_differ},
                        {"barrier_in_ragged_loop", barrier_in_ragged_loop},
                        {"mask_names_absent", mask_names_absent},
                        {"mask_without_caller", mask_without_caller},
                        {"syncwarp_without_lane", syncwarp_without_lane},
                        {"lock_never_released", lock_never_released},
                        {"block_that_never_runs", block_that_never_runs},
                        {"barrier_expects_more", barrier_expects_more},
                        {"locks_in_opposite_order", locks_in_opposite_order},
                        {"flag_never_raised", flag_never_raised},
                        {"barrier_counts_differ", barrier_counts_differ},
                        {"second_init_of_a_phase", second_init_of_a_phase},
                        {"init_in_every_round", init_in_every_round},
                        {"init_by_all_threads", init_by_all_threads},
                        {"mbarrier_never_completes", mbarrier_never_completes},
                    });
}
