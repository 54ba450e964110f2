// Bulk copies without a fence.proxy.async, and mbarriers whose next phase begins too early. Bulk
// copies access shared memory through the asynchronous proxy, which sees a thread's stores only
// after this fence.
#include "../bulk.h"

#include "../cases.h"

// These copies are macros, so that a report names the line in the kernel that uses the macro.
#define LOAD_RUN(to, from, bytes, barrier)                                                    \
    asm volatile(                                                                             \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: \
            "r"(shared_address(to)), "l"(from), "r"(static_cast<unsigned>(bytes)), "r"(shared_address(barrier)) : "memory")
#define STORE_RUN(to, from, bytes)                                                            \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),     \
                 "r"(shared_address(from)), "r"(static_cast<unsigned>(bytes)) : "memory")
#define INIT(barrier, count)                                                                  \
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(count) : "memory")
#define ARRIVE(barrier)                                                                       \
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory")

constexpr int kThreads = 64;

__global__ void stores_without_fence(int* out) {
    __shared__ __align__(128) int run[kThreads];
    run[threadIdx.x] = threadIdx.x;  // other stored_without_a_fence
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_RUN(out + blockIdx.x * kThreads, run, sizeof run);  // bug stored_without_a_fence: racecheck: missing proxy fence
        commit_stores();
        wait_for_stores<0>();
    }
}
static void stored_without_a_fence() {
    stores_without_fence<<<2, kThreads>>>(device_zeros<int>(2 * kThreads));
}

// The fence is before the store that it should make visible to the copy.
__global__ void fences_too_early(int* out) {
    __shared__ __align__(128) int run[kThreads];
    run[threadIdx.x] = 0;
    fence_for_copies();
    __syncthreads();
    run[kThreads - 1 - threadIdx.x] = threadIdx.x;  // other fence_before_the_store
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_RUN(out + blockIdx.x * kThreads, run, sizeof run);  // bug fence_before_the_store: racecheck: missing proxy fence
        commit_stores();
        wait_for_stores<0>();
    }
}
static void fence_before_the_store() {
    fences_too_early<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

// The copy may write to its destination before the stores that clear the destination take effect.
__global__ void clears_and_loads(int* out, const int* in) {
    __shared__ __align__(128) int run[kThreads];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) init(arrived, 1);
    __syncthreads();
    run[threadIdx.x] = 0;  // other cleared_without_a_fence
    __syncthreads();
    if (threadIdx.x == 0) {
        expect_bytes(arrived, sizeof run);
        LOAD_RUN(run, in, sizeof run, &arrived);  // bug cleared_without_a_fence: racecheck: missing proxy fence
    }
    wait(arrived, 0);
    out[threadIdx.x] = run[threadIdx.x];
}
static void cleared_without_a_fence() {
    clears_and_loads<<<1, kThreads>>>(device_zeros<int>(kThreads), device_iota<int>(kThreads));
}

// Without a fence, the copy engine may not see the initialised mbarrier.
__global__ void inits_without_fence(int* out, const int* in) {
    __shared__ __align__(128) int run[kThreads];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) INIT(arrived, 1);  // other initialised_without_a_fence
    __syncthreads();
    if (threadIdx.x == 0) {
        expect_bytes(arrived, sizeof run);
        LOAD_RUN(run, in, sizeof run, &arrived);  // bug initialised_without_a_fence: racecheck: missing proxy fence
    }
    wait(arrived, 0);
    out[threadIdx.x] = run[threadIdx.x];
}
static void initialised_without_a_fence() {
    inits_without_fence<<<1, kThreads>>>(device_zeros<int>(kThreads), device_iota<int>(kThreads));
}

// Each warp is meant to complete one phase, but nothing orders the arrivals of different warps.
__global__ void one_phase_each(int* out) {
    __shared__ uint64_t phase;
    if (threadIdx.x == 0) init(phase, 32);
    __syncthreads();
    if (threadIdx.x < 32)
        ARRIVE(phase);  // bug phase_not_waited_for: racecheck: mbarrier reused too early
    else
        ARRIVE(phase);  // other phase_not_waited_for
    out[threadIdx.x] = 1;
}
static void phase_not_waited_for() {
    one_phase_each<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"stored_without_a_fence", stored_without_a_fence},
                        {"fence_before_the_store", fence_before_the_store},
                        {"cleared_without_a_fence", cleared_without_a_fence},
                        {"initialised_without_a_fence", initialised_without_a_fence},
                        {"phase_not_waited_for", phase_not_waited_for},
                    });
}
