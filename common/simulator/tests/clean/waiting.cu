// Loops that wait, and loops that only seem to wait. All of them end.
#include "../cases.h"

#include <cuda/atomic>

__device__ void lock(int* mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
    __threadfence();
}
__device__ void unlock(int* mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

// ---- loops that do work, and end when an atomic returns a certain value ----

// clean numbers_from_a_counter
__global__ void take_numbers(int* next, int* squares, int n) {
    for (int i = atomicAdd(next, 1); i < n; i = atomicAdd(next, 1)) squares[i] = i * i;
}
static void numbers_from_a_counter() {
    const int n = 40000;
    int* squares = device_zeros<int>(n);
    take_numbers<<<1, 32>>>(device_zeros<int>(1), squares, n);
    const auto host = to_host(squares, n);
    for (int i = 0; i < n; ++i) expect(host[i] == i * i, "square");
}

// clean queue_of_all_blocks
// A block that takes an item from the queue may append another item.
__global__ void divide_work(unsigned* taken, unsigned* put, volatile int* items, int* ended) {
    for (;;) {
        const unsigned mine = atomicAdd(taken, 1);
        int size;
        while ((size = items[mine]) == 0) {
            if (atomicAdd(ended, 0) == 1024) return;
        }
        __threadfence();
        if (size == 1) {
            atomicAdd(ended, 1);
        } else {
            const unsigned at = atomicAdd(put, 2);
            items[at] = size / 2;
            items[at + 1] = size - size / 2;
        }
    }
}
static void queue_of_all_blocks() {
    int *items = device_zeros<int>(8192), *ended = device_zeros<int>(1);
    const int size = 1024;
    need(cudaMemcpy(items, &size, sizeof size, cudaMemcpyHostToDevice));
    unsigned* put = device_zeros<unsigned>(1);
    const unsigned one = 1;
    need(cudaMemcpy(put, &one, sizeof one, cudaMemcpyHostToDevice));
    divide_work<<<40, 64>>>(device_zeros<unsigned>(1), put, items, ended);
    expect(to_host(ended, 1)[0] == 1024, "items");
}

// clean lock_taken_often
__global__ void count_often(int* mutex, volatile int* total, int n) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < n; ++i) {
        lock(mutex);
        *total = *total + 1;
        unlock(mutex);
    }
}
static void lock_taken_often() {
    int* total = device_zeros<int>(1);
    count_often<<<4, 32>>>(device_zeros<int>(1), total, 3000);
    expect(to_host(total, 1)[0] == 12000, "total");
}

// clean ticket_lock_taken_often
__global__ void serve(unsigned* next, unsigned* serving, volatile int* total, int n) {
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> now(*serving);
    for (int i = 0; i < n; ++i) {
        const unsigned ticket = atomicAdd(next, 1);
        while (now.load(cuda::memory_order_acquire) != ticket) __nanosleep(100);
        *total = *total + 1;
        now.store(ticket + 1, cuda::memory_order_release);
    }
}
static void ticket_lock_taken_often() {
    int* total = device_zeros<int>(1);
    serve<<<12, 32>>>(device_zeros<unsigned>(1), device_zeros<unsigned>(1), total, 100);
    expect(to_host(total, 1)[0] == 1200, "total");
}

// ---- lanes of a warp that wait for each other ----

// clean each_lane_in_its_turn
__global__ void link_in_turn(int* mutex, volatile int* first, int* next, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        for (int turn = 0; turn < 32; ++turn) {
            if (i % 32 != turn) continue;
            lock(mutex);
            next[i] = *first;
            *first = i;
            unlock(mutex);
        }
    }
}
static void each_lane_in_its_turn() {
    const int n = 3000;
    int *first = device_iota<int>(1), *next = device_zeros<int>(n);
    link_in_turn<<<1, 32>>>(device_zeros<int>(1), first, next, n);
    const auto links = to_host(next, n);
    int length = 0;
    for (int at = to_host(first, 1)[0]; length < n && at != 0; at = links[at]) ++length;
    expect(length == n - 1, "chain");
}

// clean lanes_at_locks_of_buckets
// Requires independent thread scheduling: waiting lanes must let lanes that hold a lock continue.
__global__ void count_keys(int* mutexes, int* counts, const int* keys, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int bucket = keys[i] * 7 % 16;
        lock(&mutexes[bucket]);
        counts[bucket] += 1;
        unlock(&mutexes[bucket]);
    }
}
static void lanes_at_locks_of_buckets() {
    const int n = 4096;
    int* counts = device_zeros<int>(16);
    count_keys<<<3, 96>>>(device_zeros<int>(16), counts, device_iota<int>(n), n);
    for (const int count : to_host(counts, 16)) expect(count == n / 16, "count");
}

// clean waits_and_counts_for_a_lane
// The loop changes memory in every iteration, but still only waits.
__global__ void count_until_flag(volatile int* flag, int* polls, int* out) {
    if (threadIdx.x < 31) {
        while (*flag == 0) atomicAdd(polls, 1);
    } else {
        *flag = 1;
    }
    out[threadIdx.x] = 1;
}
static void waits_and_counts_for_a_lane() {
    int* out = device_zeros<int>(32);
    count_until_flag<<<1, 32>>>(device_zeros<int>(1), device_zeros<int>(1), out);
    for (const int seen : to_host(out, 32)) expect(seen == 1, "seen");
}

// clean long_turns_of_a_waiting_loop simulator only
__global__ void compute_while_waiting(volatile int* flag, float* out, int n) {
    float value = threadIdx.x;
    if (threadIdx.x < 16) {
        while (*flag == 0)
            for (int i = 0; i < n; ++i) value = value * 0.5f + 1;
    } else {
        *flag = 1;
    }
    out[threadIdx.x] = value;
}
static void long_turns_of_a_waiting_loop() {
    float* out = device_zeros<float>(32);
    compute_while_waiting<<<1, 32>>>(device_zeros<int>(1), out, 51000);
    expect(to_host(out, 32)[0] == 2 && to_host(out, 32)[31] == 31, "values");
}

// ---- blocks that wait for each other ----

// clean ring_between_blocks
// Volatile counters show which slots of the ring are filled, without atomics.
__global__ void pass_on(volatile int* filled, volatile int* emptied, volatile int* ring, int* out,
                        int n) {
    const int places = 4;
    if (threadIdx.x != 0) return;
    for (int i = 0; i < n; ++i) {
        if (blockIdx.x == 0) {
            while (i - *emptied >= places) {
            }
            ring[i % places] = i * 3;
            __threadfence();
            *filled = i + 1;
        } else {
            while (*filled <= i) {
            }
            __threadfence();
            out[i] = ring[i % places];
            __threadfence();
            *emptied = i + 1;
        }
    }
}
static void ring_between_blocks() {
    const int n = 2000;
    int* out = device_zeros<int>(n);
    pass_on<<<2, 32>>>(device_zeros<int>(1), device_zeros<int>(1), device_zeros<int>(4), out, n);
    const auto host = to_host(out, n);
    for (int i = 0; i < n; ++i) expect(host[i] == i * 3, "item");
}

// clean memory_alone_moves
// Every iteration leaves the same values in registers. Only the count in memory changes.
__global__ void count_for_each_other(volatile int* count, volatile int* flags, int n) {
    if (blockIdx.x == 0) {
        int first, second;
        do {
            *count = *count + 1;
            first = flags[0];
            second = flags[1];
        } while ((first | second) == 0);
    } else {
        while (*count < n && flags[0] == 0) {
        }
        flags[0] = 1;
    }
}
static void memory_alone_moves() {
    int* count = device_zeros<int>(1);
    count_for_each_other<<<2, 1>>>(count, device_zeros<int>(2), 20000);
    expect(to_host(count, 1)[0] >= 20000, "count");
}

// clean dissemination_barrier
// In round r, block b signals block b + 2^r and waits for block b - 2^r.
__global__ void meet_often(volatile int* flags, int* values, int rounds, int passes) {
    const int block = blockIdx.x, blocks = gridDim.x;
    for (int pass = 1; pass <= passes; ++pass) {
        if (threadIdx.x == 0) {
            values[block * passes + pass - 1] = pass * (block + 1);
            for (int round = 0; round < rounds; ++round) {
                __threadfence();
                flags[(block + (1 << round)) % blocks * rounds + round] = pass;
                while (flags[block * rounds + round] < pass) {
                }
                __threadfence();
            }
            const int other = (block + 1) % blocks;
            if (values[other * passes + pass - 1] != pass * (other + 1)) values[0] = -1;
        }
        __syncthreads();
    }
}
static void dissemination_barrier() {
    const int blocks = 16, passes = 60;
    int* values = device_zeros<int>(blocks * passes);
    meet_often<<<blocks, 64>>>(device_zeros<int>(blocks * 4), values, 4, passes);
    expect(to_host(values, 1)[0] == 1, "values");
}

// clean barrier_in_a_waiting_loop
// All threads of a block poll together, with a barrier in the loop. A later block sets the flag.
__global__ void ask_together(volatile int* flag, int* out) {
    if (blockIdx.x == gridDim.x - 1) {
        if (threadIdx.x == 0) *flag = 1;
    } else {
        while (!__syncthreads_or(threadIdx.x == 7 && *flag)) {
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
static void barrier_in_a_waiting_loop() {
    int* out = device_zeros<int>(4 * 96);
    ask_together<<<4, 96>>>(device_zeros<int>(1), out);
    for (const int seen : to_host(out, 4 * 96)) expect(seen == 1, "seen");
}

// ---- loops that stop waiting ----

// clean gives_up_after_attempts
__global__ void try_often(int* mutex, int* attempts) {
    int tries = 0;
    while (atomicCAS(mutex, 0, 1) != 0)
        if (++tries == 100000) break;
    *attempts = tries;
}
static void gives_up_after_attempts() {
    int *mutex = device_zeros<int>(1), *attempts = device_zeros<int>(1);
    need(cudaMemset(mutex, 1, sizeof(int)));
    try_often<<<1, 1>>>(mutex, attempts);
    expect(to_host(attempts, 1)[0] == 100000, "attempts");
}

// clean gives_up_after_rare_attempts
// The outer loop counts its attempts. The inner loop only reads the clock, and counts nothing.
__global__ void try_now_and_then(int* mutex, int* attempts) {
    int tries = 0;
    while (atomicCAS(mutex, 0, 1) != 0 && ++tries < 3000) {
        const long long start = clock64();
        while (clock64() - start < 200) {
        }
    }
    *attempts = tries;
}
static void gives_up_after_rare_attempts() {
    int *mutex = device_zeros<int>(1), *attempts = device_zeros<int>(1);
    need(cudaMemset(mutex, 1, sizeof(int)));
    try_now_and_then<<<1, 1>>>(mutex, attempts);
    expect(to_host(attempts, 1)[0] == 3000, "attempts");
}

// clean gives_up_after_time simulator only
// Each of two blocks waits ten times, for one minute of the device's clock each time.
__global__ void wait_for_a_minute(volatile int* flag, int* times) {
    for (int attempt = 0; attempt < 10; ++attempt) {
        const long long start = clock64();
        while (*flag == 0 && clock64() - start < 60'000'000'000) {
        }
        times[blockIdx.x] += 1;
    }
}
static void gives_up_after_time() {
    int* times = device_zeros<int>(2);
    wait_for_a_minute<<<2, 1>>>(device_zeros<int>(1), times);
    for (const int count : to_host(times, 2)) expect(count == 10, "times");
}

// clean gives_up_by_the_timer
__device__ unsigned long long timer() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}
__global__ void sleep_until(volatile int* flag, int* out) {
    const unsigned long long end = timer() + 5'000'000'000;
    unsigned pause = 8;
    while (*flag == 0 && timer() < end) {
        __nanosleep(pause);
        if (pause < 256) pause *= 2;
    }
    out[threadIdx.x] = timer() >= end;
}
static void gives_up_by_the_timer() {
    int* out = device_zeros<int>(64);
    sleep_until<<<1, 64>>>(device_zeros<int>(1), out);
    for (const int late : to_host(out, 64)) expect(late == 1, "late");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"numbers_from_a_counter", numbers_from_a_counter},
                        {"queue_of_all_blocks", queue_of_all_blocks},
                        {"lock_taken_often", lock_taken_often},
                        {"ticket_lock_taken_often", ticket_lock_taken_often},
                        {"each_lane_in_its_turn", each_lane_in_its_turn},
                        {"lanes_at_locks_of_buckets", lanes_at_locks_of_buckets},
                        {"waits_and_counts_for_a_lane", waits_and_counts_for_a_lane},
                        {"long_turns_of_a_waiting_loop", long_turns_of_a_waiting_loop},
                        {"ring_between_blocks", ring_between_blocks},
                        {"memory_alone_moves", memory_alone_moves},
                        {"dissemination_barrier", dissemination_barrier},
                        {"barrier_in_a_waiting_loop", barrier_in_a_waiting_loop},
                        {"gives_up_after_attempts", gives_up_after_attempts},
                        {"gives_up_after_rare_attempts", gives_up_after_rare_attempts},
                        {"gives_up_after_time", gives_up_after_time},
                        {"gives_up_by_the_timer", gives_up_by_the_timer},
                    });
}
