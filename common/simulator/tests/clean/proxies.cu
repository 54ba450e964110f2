// The correct counterparts of ../bugs/proxies.cu: bulk copies with the fences that they need, and
// mbarriers with several phases.
#include "../bulk.h"

#include "../cases.h"

constexpr int kThreads = 64;

__device__ void arrive(uint64_t& barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}

// Each round stores a tile, and waits until the bulk copy has read the tile.
// clean fence_after_the_stores
__global__ void stores_with_fence(int* out) {
    __shared__ __align__(128) int run[kThreads];
    for (int round = 0; round < 3; ++round) {
        run[threadIdx.x] = threadIdx.x + round;
        fence_for_copies();
        __syncthreads();
        if (threadIdx.x == 0) {
            store_run(out + round * kThreads, run, sizeof run);
            commit_stores();
            wait_for_stores<0>();
        }
        __syncthreads();
    }
}
static void fence_after_the_stores() {
    int* out = device_zeros<int>(3 * kThreads);
    stores_with_fence<<<1, kThreads>>>(out);
    expect(to_host(out, 3 * kThreads)[3 * kThreads - 1] == kThreads + 1, "value");
}

// After the barrier, a fence in the thread that starts the copy covers the stores of all threads.
// clean fence_by_the_copying_thread
__global__ void one_fences(int* out) {
    __shared__ __align__(128) int run[kThreads];
    run[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        fence_for_copies();
        store_run(out + blockIdx.x * kThreads, run, sizeof run);
        commit_stores();
        wait_for_stores<0>();
    }
}
static void fence_by_the_copying_thread() {
    one_fences<<<2, kThreads>>>(device_zeros<int>(2 * kThreads));
}

// A bulk copy needs no fence to read the data that an earlier bulk copy wrote.
// clean copied_in_and_out
__global__ void passes_through(int* out, const int* in) {
    __shared__ __align__(128) int run[kThreads];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) init(arrived, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect_bytes(arrived, sizeof run);
        load_run(run, in, sizeof run, arrived);
        wait(arrived, 0);
        store_run(out, run, sizeof run);
        commit_stores();
        wait_for_stores<0>();
    }
}
static void copied_in_and_out() {
    int* out = device_zeros<int>(kThreads);
    passes_through<<<1, kThreads>>>(out, device_iota<int>(kThreads));
    expect(to_host(out, kThreads)[5] == 5, "value");
}

// Threads read a tile, which a bulk copy then overwrites. Earlier reads need no fence.
// clean refilled_after_reads
__global__ void refills(int* out, const int* in) {
    __shared__ __align__(128) int run[kThreads];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(full, 1);
        init(empty, kThreads);
    }
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < 5; ++round) {
        if (threadIdx.x == 0) {
            if (round > 0) wait(empty, (round - 1) % 2);
            expect_bytes(full, sizeof run);
            load_run(run, in + round * kThreads, sizeof run, full);
        }
        wait(full, round % 2);
        sum += run[threadIdx.x];
        arrive(empty);
    }
    out[threadIdx.x] = sum;
}
static void refilled_after_reads() {
    int* out = device_zeros<int>(kThreads);
    refills<<<2, kThreads>>>(out, device_iota<int>(5 * kThreads));
    expect(to_host(out, kThreads)[0] == 10 * kThreads, "sum");
}

// Each thread waits for a phase to end before it arrives in the next phase.
// clean phase_after_phase
__global__ void many_phases(int* out) {
    __shared__ uint64_t phase;
    __shared__ int values[kThreads];
    if (threadIdx.x == 0) init(phase, kThreads);
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < 4; ++round) {
        values[threadIdx.x] = round;
        arrive(phase);
        wait(phase, 0);
        sum += values[kThreads - 1 - threadIdx.x];
        arrive(phase);
        wait(phase, 1);
    }
    out[threadIdx.x] = sum;
}
static void phase_after_phase() {
    int* out = device_zeros<int>(kThreads);
    many_phases<<<2, kThreads>>>(out);
    expect(to_host(out, kThreads)[0] == 6, "sum");
}

// A thread may arrive several times in one phase. Each arrival counts.
// clean several_arrivals_of_a_thread
__global__ void arrives_for_others(int* out) {
    __shared__ uint64_t phase;
    if (threadIdx.x == 0) init(phase, 2 * kThreads);
    __syncthreads();
    arrive(phase);
    arrive(phase);
    wait(phase, 0);
    out[threadIdx.x] = 1;
}
static void several_arrivals_of_a_thread() {
    arrives_for_others<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

// Between two phases, the threads wait at a barrier of the block instead of at the mbarrier.
// clean barrier_between_phases
__global__ void meets_between(int* out) {
    __shared__ uint64_t phase;
    if (threadIdx.x == 0) init(phase, kThreads);
    __syncthreads();
    for (int round = 0; round < 4; ++round) {
        arrive(phase);
        __syncthreads();
    }
    out[threadIdx.x] = 1;
}
static void barrier_between_phases() {
    meets_between<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"fence_after_the_stores", fence_after_the_stores},
                        {"fence_by_the_copying_thread", fence_by_the_copying_thread},
                        {"copied_in_and_out", copied_in_and_out},
                        {"refilled_after_reads", refilled_after_reads},
                        {"phase_after_phase", phase_after_phase},
                        {"several_arrivals_of_a_thread", several_arrivals_of_a_thread},
                        {"barrier_between_phases", barrier_between_phases},
                    });
}
