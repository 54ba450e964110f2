// Endless waits, which must be reported within a million warp instructions.
// simulate: --max-instructions 1000000
#include "../cases.h"

// ---- waits that no thread can end, so that each of these kernels hangs on hardware ----

// The loop counts its attempts to take the lock, but never gives up.
__global__ void counts_attempts(int* lock, int* attempts) {
    int tries = 0;
    while (atomicCAS(lock, 0, 1) != 0) {  // bug lock_never_released_counted: synccheck: deadlock
        ++tries;
    }
    attempts[blockIdx.x] = tries;
}
static void lock_never_released_counted() {
    counts_attempts<<<2, 1>>>(device_zeros<int>(1), device_zeros<int>(2));
}

// Backs off: waits longer after each poll, and measures the wait with the clock.
__global__ void pauses(volatile int* flag, int* out) {
    long long pause = 8;
    while (*flag == 0) {  // bug flag_never_set_with_pauses: synccheck: deadlock
        const long long start = clock64();
        while (clock64() - start < pause) {
        }
        if (pause < 256) pause *= 2;
    }
    out[threadIdx.x] = 1;
}
static void flag_never_set_with_pauses() {
    pauses<<<1, 32>>>(device_zeros<int>(1), device_zeros<int>(32));
}

__global__ void sleeps(volatile int* flag, int* out) {
    unsigned pause = 8;
    while (*flag == 0) {  // bug flag_never_set_with_sleep: synccheck: deadlock
        __nanosleep(pause);
        pause *= 2;
    }
    out[threadIdx.x] = 1;
}
static void flag_never_set_with_sleep() {
    sleeps<<<1, 32>>>(device_zeros<int>(1), device_zeros<int>(32));
}

// The flag is neither volatile nor atomic, so the compiler reads it once, and the loop never ends.
__global__ void polls_a_plain_flag(int* flag, int* out) {
    if (blockIdx.x == 0) {
        while (*flag == 0) {  // bug plain_flag: synccheck: endless loop
        }
        out[0] = 1;
    } else {
        *flag = 1;
    }
}
static void plain_flag() {
    polls_a_plain_flag<<<2, 1>>>(device_zeros<int>(1), device_zeros<int>(1));
}

// Two lanes of a warp each hold the lock that the other lane wants.
__global__ void two_lanes(int* locks, int* out) {
    const int mine = threadIdx.x, other = 1 - mine;
    while (atomicCAS(&locks[mine], 0, 1) != 0) {
    }
    __syncwarp(3);
    while (atomicCAS(&locks[other], 0, 1) != 0) {  // bug lanes_in_opposite_order: synccheck: deadlock
    }
    out[mine] = 1;
}
static void lanes_in_opposite_order() {
    two_lanes<<<1, 2>>>(device_zeros<int>(2), device_zeros<int>(2));
}

// The thread that is to set the flag waits at a barrier for the threads that poll the flag.
__global__ void flag_behind_barrier(int* out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (flag == 0) {  // bug flag_behind_a_barrier: synccheck: deadlock
        }
    }
    __syncthreads();
    if (threadIdx.x == 32) flag = 1;
    out[threadIdx.x] = flag;
}
static void flag_behind_a_barrier() {
    flag_behind_barrier<<<1, 64>>>(device_zeros<int>(64));
}

// All threads of the block poll the flag together, with a barrier in the loop.
__global__ void asks_together(volatile int* flag, int* out) {
    while (!__syncthreads_or(*flag)) {  // bug barrier_in_an_endless_wait: synccheck: deadlock
    }
    out[threadIdx.x] = 1;
}
static void barrier_in_an_endless_wait() {
    asks_together<<<2, 64>>>(device_zeros<int>(1), device_zeros<int>(64));
}

// The last block sets the flag, but cannot start until another block ends.
__global__ void waits_for_last_block(volatile int* flag, int* out) {
    extern __shared__ int most_of_it[];
    most_of_it[threadIdx.x] = threadIdx.x;
    if (blockIdx.x == gridDim.x - 1) *flag = 1;
    while (*flag == 0) {  // bug block_that_can_not_begin: synccheck: deadlock
    }
    out[blockIdx.x] = most_of_it[threadIdx.x];
}
static void block_that_can_not_begin() {
    need(cudaFuncSetAttribute(waits_for_last_block, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              200 * 1024));
    waits_for_last_block<<<140, 1, 200 * 1024>>>(device_zeros<int>(1), device_zeros<int>(140));
}

// The lock is in managed memory, so the host could release it, but never does.
__global__ void takes_and_keeps(int* lock) {
    while (atomicCAS(lock, 0, 1) != 0) {  // bug managed_lock_never_released: synccheck: deadlock
    }
}
static void managed_lock_never_released() {
    int* lock;
    need(cudaMallocManaged(&lock, sizeof *lock));
    *lock = 0;
    takes_and_keeps<<<2, 1>>>(lock);
}

// ---- waits that would end on hardware, where the host runs concurrently with the kernel ----

__global__ void waits_for_pinned(volatile int* flag, int* out) {
    while (*flag == 0) {  // bug flag_in_pinned_memory: synccheck: waits for the host
    }
    *out = 1;
}
static void flag_in_pinned_memory() {
    int* flag;
    need(cudaMallocHost(&flag, sizeof *flag));
    *flag = 0;
    waits_for_pinned<<<1, 1>>>(flag, device_zeros<int>(1));
    *flag = 1;
}

__global__ void waits_for_managed(int* flag, int* out) {
    while (atomicAdd(flag, 0) == 0) {  // bug flag_in_managed_memory: synccheck: waits for the host
    }
    *out = 1;
}
static void flag_in_managed_memory() {
    int* flag;
    need(cudaMallocManaged(&flag, sizeof *flag));
    *flag = 0;
    waits_for_managed<<<1, 1>>>(flag, device_zeros<int>(1));
    *reinterpret_cast<volatile int*>(flag) = 1;
}

// One block waits for the host, and the other blocks wait for that block.
__global__ void waits_for_others_and_host(volatile int* from_host, volatile int* flag, int* out) {
    if (blockIdx.x == gridDim.x - 1) {
        while (*from_host == 0) {  // bug block_that_waits_for_the_host: synccheck: waits for the host
        }
        *flag = 1;
    }
    while (*flag == 0) {
    }
    out[blockIdx.x] = 1;
}
static void block_that_waits_for_the_host() {
    static int flag = 0;
    need(cudaHostRegister(&flag, sizeof flag, cudaHostRegisterMapped));
    waits_for_others_and_host<<<3, 1>>>(&flag, device_zeros<int>(1), device_zeros<int>(3));
    flag = 1;
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"lock_never_released_counted", lock_never_released_counted},
                        {"flag_never_set_with_pauses", flag_never_set_with_pauses},
                        {"flag_never_set_with_sleep", flag_never_set_with_sleep},
                        {"plain_flag", plain_flag},
                        {"lanes_in_opposite_order", lanes_in_opposite_order},
                        {"flag_behind_a_barrier", flag_behind_a_barrier},
                        {"barrier_in_an_endless_wait", barrier_in_an_endless_wait},
                        {"block_that_can_not_begin", block_that_can_not_begin},
                        {"managed_lock_never_released", managed_lock_never_released},
                        {"flag_in_pinned_memory", flag_in_pinned_memory},
                        {"flag_in_managed_memory", flag_in_managed_memory},
                        {"block_that_waits_for_the_host", block_that_waits_for_the_host},
                    });
}
