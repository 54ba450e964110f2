// Tests threads that wait for each other through memory, with locks, flags and tickets.
// expect: lock between blocks: ok
// expect: lock between warps: ok
// expect: lock between lanes of a warp: ok
// expect: lock in shared memory: ok
// expect: ticket lock: ok
// expect: blocks in a chain: ok
// expect: last block adds up: ok
// expect: lanes hand over to each other: ok
#include <cuda/atomic>

#include "check.h"

__device__ void lock(int* mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
    __threadfence();
}
__device__ void unlock(int* mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

/// One thread of each block acquires the lock.
__global__ void lock_blocks(int* mutex, volatile int* value) {
    if (threadIdx.x != 0) return;
    lock(mutex);
    *value = *value + 1;
    unlock(mutex);
}
/// One lane of each warp acquires the lock.
__global__ void lock_warps(int* mutex, volatile int* value) {
    if (threadIdx.x % 32 != 0) return;
    lock(mutex);
    *value = *value * 3 + 1;
    unlock(mutex);
}
/// All threads acquire the lock. Lanes that fail must not block the lane that holds the lock.
__global__ void lock_lanes(int* mutex, volatile int* value) {
    bool done = false;
    while (!done) {
        if (atomicCAS(mutex, 0, 1) == 0) {
            __threadfence();
            *value = *value + 1;
            __threadfence();
            atomicExch(mutex, 0);
            done = true;
        }
    }
}
__global__ void lock_shared(int* out) {
    __shared__ int mutex, value;
    if (threadIdx.x == 0) mutex = 0, value = 0;
    __syncthreads();
    while (atomicCAS(&mutex, 0, 1) != 0) __nanosleep(20);
    __threadfence_block();
    value = value + threadIdx.x;
    __threadfence_block();
    atomicExch(&mutex, 0);
    __syncthreads();
    if (threadIdx.x == 0) *out = value;
}

__global__ void ticket_lock(unsigned* next, unsigned* serving, volatile unsigned* value) {
    if (threadIdx.x != 0) return;
    const unsigned ticket = atomicAdd(next, 1);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> now(*serving);
    while (now.load(cuda::memory_order_acquire) != ticket) {
    }
    *value = *value * 5 + 1;
    now.store(ticket + 1, cuda::memory_order_release);
}

/// Each block waits for the preceding block.
__global__ void chain(volatile int* flags, int* sums) {
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0) {
            }
            __threadfence();
            sums[blockIdx.x] = sums[blockIdx.x - 1] + blockIdx.x;
        } else {
            sums[0] = 0;
        }
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}

__global__ void last_block(const int* in, int* partial, unsigned* finished, int* out) {
    __shared__ int sum;
    __shared__ bool is_last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicAdd(finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        int total = 0;
        for (unsigned b = 0; b < gridDim.x; ++b)
            total += reinterpret_cast<volatile int*>(partial)[b];
        *out = total;
    }
}

/// Requires independent thread scheduling, because lane 31 must continue first and lane 0 last.
__global__ void hand_over(volatile int* turn, int* out) {
    const int lane = threadIdx.x;
    while (*turn != lane) {
    }
    out[lane] = 31 - lane;
    __threadfence();
    *turn = lane - 1;
}

int main() {
    {
        DeviceArray<int> mutex(1), value(1);
        lock_blocks<<<200, 64>>>(mutex, value);
        expect_equal<int>("lock between blocks", value.read(), {200});
    }
    {
        int wanted = 0;
        for (int i = 0; i < 12; ++i) wanted = wanted * 3 + 1;
        DeviceArray<int> mutex(1), value(1);
        lock_warps<<<3, 128>>>(mutex, value);
        expect_equal<int>("lock between warps", value.read(), {wanted});
    }
    {
        DeviceArray<int> mutex(1), value(1);
        lock_lanes<<<2, 96>>>(mutex, value);
        expect_equal<int>("lock between lanes of a warp", value.read(), {192});
    }
    {
        DeviceArray<int> out(1);
        lock_shared<<<1, 64>>>(out);
        expect_equal<int>("lock in shared memory", out.read(), {64 * 63 / 2});
    }
    {
        unsigned wanted = 0;
        for (int i = 0; i < 20; ++i) wanted = wanted * 5 + 1;
        DeviceArray<unsigned> next(1), serving(1), value(1);
        ticket_lock<<<20, 32>>>(next, serving, value);
        expect_equal("ticket lock", value.read(), {wanted});
    }
    {
        DeviceArray<int> flags(100), sums(100);
        chain<<<100, 32>>>(flags, sums);
        expect_equal("blocks in a chain", sums.read(),
                     for_threads<int>(100, [](int i) { return i * (i + 1) / 2; }));
    }
    {
        const std::vector<int> values = for_threads<int>(16 * 64, [](int i) { return i % 13; });
        int wanted = 0;
        for (int value : values) wanted += value;
        DeviceArray<int> in(values), partial(16), out(1);
        DeviceArray<unsigned> finished(1);
        last_block<<<16, 64>>>(in, partial, finished, out);
        expect_equal<int>("last block adds up", out.read(), {wanted});
    }
    {
        DeviceArray<int> turn({31}), out(32);
        hand_over<<<1, 32>>>(turn, out);
        expect_equal("lanes hand over to each other", out.read(),
                     for_threads<int>(32, [](int i) { return 31 - i; }));
    }
}
