// Published locks, from textbook spin locks to queues. Every thread eventually gets its lock.
#include "../cases.h"

/// A spin lock. All blocks of these programs are resident at once, so they may wait for each other.
struct SpinLock {
    int taken = 0;
    __device__ void lock() {
        while (atomicCAS(&taken, 0, 1) != 0) {
        }
        __threadfence();
    }
    __device__ bool try_lock() {
        if (atomicExch(&taken, 1) != 0) return false;
        __threadfence();
        return true;
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&taken, 0);
    }
};

// clean lock_taken_many_times
__global__ void add_often(SpinLock* lock, int* total, int times) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < times; ++i) {
        lock->lock();
        *total = *total + i;
        lock->unlock();
    }
}
static void lock_taken_many_times() {
    int* total = device_zeros<int>(1);
    add_often<<<4, 32>>>(device_zeros<SpinLock>(1), total, 1000);
    expect(to_host(total, 1)[0] == 4 * 999 * 500, "total");
}

// clean lanes_lock_in_turn
// The lanes of a warp acquire the lock one by one, so no lane spins while another one holds it.
__global__ void push_in_turn(SpinLock* lock, int* head, int* next, int n) {
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        for (int turn = 0; turn < 32; ++turn) {
            if (threadIdx.x % 32 == turn) {
                lock->lock();
                next[i] = *head;
                *head = i;
                lock->unlock();
            }
        }
    }
}
static void lanes_lock_in_turn() {
    const int n = 1000;
    const int nobody = -1;
    int *head = device_zeros<int>(1), *next = device_zeros<int>(n);
    need(cudaMemcpy(head, &nobody, sizeof nobody, cudaMemcpyHostToDevice));
    push_in_turn<<<2, 32>>>(device_zeros<SpinLock>(1), head, next, n);
    const auto links = to_host(next, n);
    std::vector<bool> seen(n);
    int count = 0;
    for (int i = to_host(head, 1)[0]; i >= 0 && count < n; i = links[i], ++count) seen[i] = true;
    expect(count == n, "length of the list");
    for (int i = 0; i < n; ++i) expect(seen[i], "in the list");
}

// clean try_lock_with_back_off
__global__ void withdraw(SpinLock* lock, int* balance, int* failures, int amount) {
    unsigned pause = 8;
    for (bool done = false; !done;) {
        if (lock->try_lock()) {
            if (*balance >= amount)
                *balance -= amount;
            else
                atomicAdd(failures, 1);
            lock->unlock();
            done = true;
        } else {
            __nanosleep(pause);
            if (pause < 256) pause *= 2;
        }
    }
}
static void try_lock_with_back_off() {
    int *balance = to_device<int>({1000}), *failures = device_zeros<int>(1);
    withdraw<<<4, 48>>>(device_zeros<SpinLock>(1), balance, failures, 7);
    expect(to_host(balance, 1)[0] == 1000 - 142 * 7, "balance");
    expect(to_host(failures, 1)[0] == 4 * 48 - 142, "failures");
}

// clean ticket_lock
struct TicketLock {
    unsigned next;
    volatile unsigned serving;
};
__global__ void append_in_order(TicketLock* lock, unsigned* order, int* length, int times) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < times; ++i) {
        const unsigned ticket = atomicAdd(&lock->next, 1);
        while (lock->serving != ticket) {
        }
        __threadfence();
        order[(*length)++] = ticket;
        __threadfence();
        lock->serving = ticket + 1;
    }
}
static void ticket_lock() {
    const int blocks = 6, times = 50;
    unsigned* order = device_zeros<unsigned>(blocks * times);
    int* length = device_zeros<int>(1);
    TicketLock* lock = nullptr;
    need(cudaMalloc(&lock, sizeof *lock));
    need(cudaMemset(lock, 0, sizeof *lock));
    append_in_order<<<blocks, 32>>>(lock, order, length, times);
    expect(to_host(length, 1)[0] == blocks * times, "length");
    const auto host = to_host(order, blocks * times);
    for (unsigned i = 0; i < host.size(); ++i) expect(host[i] == i, "first come, first served");
}

// clean readers_and_writers
// The state is the number of readers that hold the lock, or -1 if a writer holds it.
__device__ void enter_as_reader(int* state) {
    for (;;) {
        const int readers = *static_cast<volatile int*>(state);
        if (readers >= 0 && atomicCAS(state, readers, readers + 1) == readers) break;
    }
    __threadfence();
}
__device__ void enter_as_writer(int* state) {
    while (atomicCAS(state, 0, -1) != 0) {
    }
    __threadfence();
}
__global__ void read_and_write(int* state, int* pair, int* torn, int rounds) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < rounds; ++i) {
        if (blockIdx.x == 0) {
            enter_as_writer(state);
            pair[0] += 1;
            pair[1] -= 1;
            __threadfence();
            atomicExch(state, 0);
        } else {
            enter_as_reader(state);
            if (pair[0] != -pair[1]) atomicAdd(torn, 1);
            __threadfence();
            atomicSub(state, 1);
        }
    }
}
static void readers_and_writers() {
    int *pair = device_zeros<int>(2), *torn = device_zeros<int>(1);
    read_and_write<<<5, 32>>>(device_zeros<int>(1), pair, torn, 40);
    expect(to_host(pair, 2) == std::vector{40, -40}, "what was written");
    expect(to_host(torn, 1)[0] == 0, "what was read");
}

// clean transfers_with_two_locks
// Each thread locks two accounts in ascending order, which prevents a deadlock.
__global__ void transfer(SpinLock* locks, int* accounts, const int* from, const int* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || from[i] == to[i]) return;
    SpinLock& first = locks[min(from[i], to[i])];
    SpinLock& second = locks[max(from[i], to[i])];
    bool done = false;
    while (!done) {
        if (!first.try_lock()) continue;
        if (second.try_lock()) {
            accounts[from[i]] -= i;
            accounts[to[i]] += i;
            second.unlock();
            done = true;
        }
        first.unlock();
    }
}
static void transfers_with_two_locks() {
    const int n = 256, accounts = 10;
    const auto from = random_numbers(n, accounts, 1), to = random_numbers(n, accounts, 2);
    int* balances = device_zeros<int>(accounts);
    transfer<<<4, 64>>>(device_zeros<SpinLock>(accounts), balances, to_device(from), to_device(to),
                        n);
    std::vector<int> want(accounts);
    for (int i = 0; i < n; ++i) {
        want[from[i]] -= i;
        want[to[i]] += i;
    }
    expect(to_host(balances, accounts) == want, "balances");
}

// clean lock_a_bin
struct Bin {
    int lock;
    int count;
    double sum, smallest;
};
__global__ void statistics(Bin* bins, const int* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bin* bin = &bins[values[i] % 8];
    bool leave = false;
    while (!leave) {
        if (atomicExch(&bin->lock, 1) == 0) {
            __threadfence();
            if (bin->count == 0 || values[i] < bin->smallest) bin->smallest = values[i];
            bin->sum += values[i];
            bin->count++;
            leave = true;
            __threadfence();
            atomicExch(&bin->lock, 0);
        }
    }
}
static void lock_a_bin() {
    const int n = 500;
    const auto values = random_numbers(n, 10000);
    Bin* bins = device_zeros<Bin>(8);
    statistics<<<4, 128>>>(bins, to_device(values), n);
    std::vector<Bin> want(8);
    for (const int value : values) {
        Bin& bin = want[value % 8];
        if (bin.count++ == 0 || value < bin.smallest) bin.smallest = value;
        bin.sum += value;
    }
    const auto host = to_host(bins, 8);
    for (int b = 0; b < 8; ++b) {
        expect(host[b].count == want[b].count && host[b].sum == want[b].sum, "count and sum");
        expect(host[b].smallest == want[b].smallest, "smallest");
    }
}

// clean semaphore_of_three
__global__ void few_at_a_time(int* places, int* inside, int* most, int* done) {
    if (threadIdx.x == 0) {
        for (;;) {
            const int left = *static_cast<volatile int*>(places);
            if (left > 0 && atomicCAS(places, left, left - 1) == left) break;
        }
        __threadfence();
        atomicMax(most, atomicAdd(inside, 1) + 1);
        done[blockIdx.x] += 1;
        atomicSub(inside, 1);
        __threadfence();
        atomicAdd(places, 1);
    }
}
static void semaphore_of_three() {
    int *places = to_device<int>({3}), *most = device_zeros<int>(1), *done = device_zeros<int>(24);
    few_at_a_time<<<24, 32>>>(places, device_zeros<int>(1), most, done);
    expect(to_host(places, 1)[0] == 3, "places");
    expect(to_host(most, 1)[0] >= 1 && to_host(most, 1)[0] <= 3, "most at a time");
    for (const int times : to_host(done, 24)) expect(times == 1, "done");
}

// clean locks_in_shared_memory
__global__ void sums_by_digit(int* out, const int* values, int n) {
    __shared__ int locks[10];
    __shared__ volatile int sums[10];
    if (threadIdx.x < 10) {
        locks[threadIdx.x] = 0;
        sums[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int digit = values[i] % 10;
        bool waiting = true;
        while (waiting) {
            if (atomicCAS(&locks[digit], 0, 1) == 0) {
                __threadfence_block();
                sums[digit] = sums[digit] + values[i];
                __threadfence_block();
                atomicExch(&locks[digit], 0);
                waiting = false;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < 10) out[threadIdx.x] = sums[threadIdx.x];
}
static void locks_in_shared_memory() {
    const auto values = random_numbers(400, 1000);
    int* out = device_zeros<int>(10);
    sums_by_digit<<<1, 128>>>(out, to_device(values), 400);
    std::vector<int> want(10);
    for (const int value : values) want[value % 10] += value;
    expect(to_host(out, 10) == want, "sums");
}

// clean petersons_lock
// Two blocks exclude each other without atomics, using only loads, stores and fences.
__global__ void add_by_turns(volatile int* wants, volatile int* turn, int* total, int times) {
    const int me = blockIdx.x, other = 1 - me;
    for (int i = 0; i < times; ++i) {
        wants[me] = 1;
        *turn = other;
        __threadfence();
        while (wants[other] && *turn == other) {
        }
        __threadfence();
        *total += me + 1;
        __threadfence();
        wants[me] = 0;
    }
}
static void petersons_lock() {
    int* total = device_zeros<int>(1);
    add_by_turns<<<2, 1>>>(device_zeros<int>(2), device_zeros<int>(1), total, 100);
    expect(to_host(total, 1)[0] == 300, "total");
}

// clean queue_of_waiters
// An MCS lock: each waiting thread spins on its own flag, which its predecessor sets.
struct Waiter {
    volatile int next, must_wait;
};
__global__ void wait_in_queue(Waiter* waiters, int* last, unsigned* total, int times) {
    if (threadIdx.x != 0) return;
    const int me = blockIdx.x + 1;
    for (int i = 0; i < times; ++i) {
        waiters[me].next = 0;
        waiters[me].must_wait = 1;
        __threadfence();
        const int before = atomicExch(last, me);
        __threadfence();
        if (before != 0) {
            waiters[before].next = me;
            while (waiters[me].must_wait) {
            }
        }
        __threadfence();
        *total = 3 * *total + 1;
        __threadfence();
        if (atomicCAS(last, me, 0) == me) continue;
        while (waiters[me].next == 0) {
        }
        __threadfence();
        waiters[waiters[me].next].must_wait = 0;
    }
}
static void queue_of_waiters() {
    unsigned* total = device_zeros<unsigned>(1);
    Waiter* waiters = nullptr;
    need(cudaMalloc(&waiters, 9 * sizeof(Waiter)));
    wait_in_queue<<<8, 32>>>(waiters, device_zeros<int>(1), total, 20);
    unsigned want = 0;
    for (int i = 0; i < 160; ++i) want = 3 * want + 1;
    expect(to_host(total, 1)[0] == want, "total");
}

// clean sequence_lock
// A seqlock: a reader retries if a writer was active during the read.
__global__ void publish_pairs(volatile unsigned* sequence, volatile int* pair, int* torn, int n) {
    if (blockIdx.x == 0) {
        for (int i = 1; i <= n; ++i) {
            *sequence = *sequence + 1;
            __threadfence();
            pair[0] = i;
            pair[1] = i * i;
            __threadfence();
            *sequence = *sequence + 1;
        }
        return;
    }
    for (int seen = 0; seen < n;) {
        const unsigned before = *sequence;
        __threadfence();
        const int root = pair[0], square = pair[1];
        __threadfence();
        if (before % 2 != 0 || *sequence != before) continue;
        if (square != root * root) atomicAdd(torn, 1);
        seen = root;
    }
}
static void sequence_lock() {
    int *pair = device_zeros<int>(2), *torn = device_zeros<int>(1);
    publish_pairs<<<3, 1>>>(device_zeros<unsigned>(1), pair, torn, 100);
    expect(to_host(torn, 1)[0] == 0, "pairs");
    expect(to_host(pair, 2) == std::vector{100, 10000}, "the last pair");
}

// clean made_once
// The first thread to arrive builds the table. All other threads wait for it.
__global__ void use_table(int* state, int* table, int* out) {
    if (threadIdx.x == 0) {
        if (atomicCAS(state, 0, 1) == 0) {
            for (int i = 0; i < 32; ++i) table[i] = i * i;
            __threadfence();
            atomicExch(state, 2);
        }
        while (atomicCAS(state, 2, 2) != 2) {
        }
        __threadfence();
    }
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = table[threadIdx.x] + blockIdx.x;
}
static void made_once() {
    int* out = device_zeros<int>(320);
    use_table<<<10, 32>>>(device_zeros<int>(1), device_zeros<int>(32), out);
    const auto host = to_host(out, 320);
    for (int i = 0; i < 320; ++i) expect(host[i] == i % 32 * (i % 32) + i / 32, "value");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"lock_taken_many_times", lock_taken_many_times},
                        {"lanes_lock_in_turn", lanes_lock_in_turn},
                        {"try_lock_with_back_off", try_lock_with_back_off},
                        {"ticket_lock", ticket_lock},
                        {"readers_and_writers", readers_and_writers},
                        {"transfers_with_two_locks", transfers_with_two_locks},
                        {"lock_a_bin", lock_a_bin},
                        {"semaphore_of_three", semaphore_of_three},
                        {"locks_in_shared_memory", locks_in_shared_memory},
                        {"petersons_lock", petersons_lock},
                        {"queue_of_waiters", queue_of_waiters},
                        {"sequence_lock", sequence_lock},
                        {"made_once", made_once},
                    });
}
