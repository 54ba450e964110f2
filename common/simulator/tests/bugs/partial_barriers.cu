// Races in global memory within a block. The barrier excludes at least one of the racing threads.
#include "../bulk.h"

#include "../cases.h"

constexpr int kThreads = 128;  // four warps per block

__device__ void meet(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void arrive(int barrier, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// Threads of the upper half wait at a barrier, and then read data that the lower half writes.
__global__ void upper_half_meets(int* out, int* x) {
    if (threadIdx.x < 64) {
        x[threadIdx.x] = threadIdx.x;  // other others_met
    } else {
        meet(1, 64);
        out[threadIdx.x] = x[threadIdx.x - 64];  // bug others_met: globalrace: read after write
    }
}
static void others_met() {
    upper_half_meets<<<1, kThreads>>>(device_zeros<int>(kThreads), device_zeros<int>(64));
}

// Each half of the block waits at a barrier that excludes the other half.
__global__ void each_half_meets(int* x) {
    x[threadIdx.x] = threadIdx.x;  // other each_half_alone
    meet(1 + threadIdx.x / 64, 64);
    const int other = x[threadIdx.x ^ 64];  // bug each_half_alone: globalrace: read after write
    meet(1 + threadIdx.x / 64, 64);
    if (other < 0) x[threadIdx.x] = other;
}
static void each_half_alone() {
    each_half_meets<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

// Only one warp arrives at this mbarrier and waits for it.
__global__ void one_warp_has_a_phase(int* x) {
    __shared__ uint64_t phase;
    if (threadIdx.x == 0) init(phase, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        x[threadIdx.x] = threadIdx.x;  // other phase_of_another
    } else if (threadIdx.x < 64) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&phase)) : "memory");
        wait(phase, 0);
        x[threadIdx.x] = x[threadIdx.x - 32];  // bug phase_of_another: globalrace: read after write
    }
}
static void phase_of_another() {
    one_warp_has_a_phase<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

// bar.arrive does not order the stores that follow it.
__global__ void store_after_arriving(int* x) {
    if (threadIdx.x < 32) {
        arrive(1, 64);
        x[threadIdx.x] = threadIdx.x;  // other stored_after_arriving
    } else if (threadIdx.x < 64) {
        meet(1, 64);
        x[threadIdx.x] = x[threadIdx.x - 32];  // bug stored_after_arriving: globalrace: read after write
    }
}
static void stored_after_arriving() {
    store_after_arriving<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

// A thread that arrives without waiting must not read what other threads wrote before they arrived.
__global__ void read_after_arriving(int* x) {
    if (threadIdx.x < 32) {
        x[threadIdx.x] = threadIdx.x;  // other read_by_who_arrived
        meet(1, 64);
    } else if (threadIdx.x < 64) {
        arrive(1, 64);
        x[threadIdx.x] = x[threadIdx.x - 32];  // bug read_by_who_arrived: globalrace: read after write
    }
}
static void read_by_who_arrived() {
    read_after_arriving<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

// Not even 1100 barriers order accesses by different blocks.
__global__ void meet_often(int* x) {
    for (int i = 0; i < 1100; ++i) __syncthreads();
    x[threadIdx.x] = blockIdx.x;  // bug after_many_barriers: globalrace: write after write // other after_many_barriers
}
static void after_many_barriers() {
    meet_often<<<2, 64>>>(device_zeros<int>(64));
}

__global__ void fence_often(int* out, int* x) {
    for (int i = 0; i < 2100; ++i) __threadfence();
    if (threadIdx.x < 32) {
        x[threadIdx.x] = 1;  // other after_many_fences
    } else {
        out[threadIdx.x] = x[threadIdx.x - 32];  // bug after_many_fences: globalrace: read after write
    }
}
static void after_many_fences() {
    fence_often<<<1, 64>>>(device_zeros<int>(64), device_zeros<int>(32));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"others_met", others_met},
                        {"each_half_alone", each_half_alone},
                        {"phase_of_another", phase_of_another},
                        {"stored_after_arriving", stored_after_arriving},
                        {"read_by_who_arrived", read_by_who_arrived},
                        {"after_many_barriers", after_many_barriers},
                        {"after_many_fences", after_many_fences},
                    });
}
