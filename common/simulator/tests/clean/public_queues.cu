// Queues, stacks and lists that many threads modify concurrently, without locks.
#include "../cases.h"

// clean numbers_until_none_are_left
__global__ void take_numbers(int* next, int* out, int n) {
    for (;;) {
        const int i = atomicAdd(next, 1);
        if (i >= n) break;
        out[i] = 2 * i;
    }
}
static void numbers_until_none_are_left() {
    const int n = 20000;
    int *next = device_zeros<int>(1), *out = device_zeros<int>(n);
    take_numbers<<<2, 64>>>(next, out, n);
    const auto host = to_host(out, n);
    for (int i = 0; i < n; ++i) expect(host[i] == 2 * i, "number");
    expect(to_host(next, 1)[0] == n + 128, "counter");
}

// clean chunks_for_blocks
__global__ void square_chunks(unsigned* next, unsigned* out, unsigned n) {
    __shared__ unsigned first;
    while (true) {
        if (threadIdx.x == 0) first = atomicAdd(next, 4 * blockDim.x);
        __syncthreads();
        const unsigned begin = first;
        __syncthreads();
        if (begin >= n) break;
        const unsigned end = min(begin + 4 * blockDim.x, n);
        for (unsigned i = begin + threadIdx.x; i < end; i += blockDim.x) out[i] = i * i;
    }
}
static void chunks_for_blocks() {
    const unsigned n = 5000;
    unsigned* out = device_zeros<unsigned>(n);
    square_chunks<<<3, 64>>>(device_zeros<unsigned>(1), out, n);
    const auto host = to_host(out, n);
    for (unsigned i = 0; i < n; ++i) expect(host[i] == i * i, "square");
}

// clean tickets_for_warps
__global__ void rows_by_warp(int* next_row, float* sums, const float* matrix, int rows, int cols) {
    const int lane = threadIdx.x % 32;
    for (;;) {
        int row = 0;
        if (lane == 0) row = atomicAdd(next_row, 1);
        row = __shfl_sync(0xffffffff, row, 0);
        if (row >= rows) return;
        float sum = 0;
        for (int col = lane; col < cols; col += 32) sum += matrix[row * cols + col];
        for (int by = 16; by > 0; by >>= 1) sum += __shfl_down_sync(0xffffffff, sum, by);
        if (lane == 0) sums[row] = sum;
    }
}
static void tickets_for_warps() {
    const int rows = 300, cols = 45;
    float* sums = device_zeros<float>(rows);
    rows_by_warp<<<2, 96>>>(device_zeros<int>(1), sums, device_iota<float>(rows * cols), rows,
                            cols);
    const auto host = to_host(sums, rows);
    for (int row = 0; row < rows; ++row) {
        expect(host[row] == row * cols * cols + cols * (cols - 1) / 2, "sum of a row");
    }
}

// clean list_by_exchange
struct Link {
    int value;
    Link* next;
};
__global__ void push_front(Link** head, Link* pool, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pool[i].value = i;
    auto* bits = reinterpret_cast<unsigned long long*>(head);
    const auto me = reinterpret_cast<unsigned long long>(&pool[i]);
    pool[i].next = reinterpret_cast<Link*>(atomicExch(bits, me));
}
__global__ void sum_list(Link* const* head, long long* sum, int* length) {
    for (const Link* link = *head; link; link = link->next) {
        *sum += link->value;
        ++*length;
    }
}
static void list_by_exchange() {
    const int n = 700;
    Link** head = device_zeros<Link*>(1);
    Link* pool = nullptr;
    need(cudaMalloc(&pool, n * sizeof(Link)));
    long long* sum = device_zeros<long long>(1);
    int* length = device_zeros<int>(1);
    push_front<<<6, 128>>>(head, pool, n);
    sum_list<<<1, 1>>>(head, sum, length);
    expect(to_host(sum, 1)[0] == n * (n - 1) / 2, "sum");
    expect(to_host(length, 1)[0] == n, "length");
}

// clean stack_with_counted_head
// The head contains an index and a change count, so a reused index does not look like the old head.
__device__ void push(unsigned long long* head, volatile int* next, int node) {
    unsigned long long seen = *static_cast<volatile unsigned long long*>(head), old;
    do {
        old = seen;
        next[node] = static_cast<int>(old & 0xffffffff);
        __threadfence();
        seen = atomicCAS(head, old, ((old >> 32) + 1) << 32 | static_cast<unsigned>(node));
    } while (seen != old);
}
__device__ int pop(unsigned long long* head, volatile int* next) {
    unsigned long long seen = *static_cast<volatile unsigned long long*>(head), old;
    do {
        old = seen;
        const int top = static_cast<int>(old & 0xffffffff);
        if (top == 0) return 0;
        __threadfence();
        const unsigned below = next[top];
        seen = atomicCAS(head, old, ((old >> 32) + 1) << 32 | below);
    } while (seen != old);
    return static_cast<int>(old & 0xffffffff);
}
__global__ void push_and_pop(unsigned long long* head, volatile int* next, int* got, int rounds) {
    int node = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (int i = 0; i < rounds; ++i) {
        push(head, next, node);
        node = pop(head, next);
    }
    atomicAdd(&got[node], 1);
}
static void stack_with_counted_head() {
    const int n = 96;
    int* got = device_zeros<int>(n + 1);
    push_and_pop<<<3, 32>>>(device_zeros<unsigned long long>(1), device_zeros<int>(n + 1), got, 10);
    const auto host = to_host(got, n + 1);
    expect(host[0] == 0, "never empty");
    for (int i = 1; i <= n; ++i) expect(host[i] == 1, "each node has one owner");
}

// clean slots_of_a_pool
__device__ unsigned long long free_slots;
__device__ volatile int slot_below[33];
__global__ void fill_pool() {
    for (int i = 1; i <= 32; ++i) slot_below[i] = i - 1;
    free_slots = 32;
}
__global__ void work_in_slots(int* storage, int* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int slot = pop(&free_slots, slot_below);
        __threadfence();
        storage[slot] = i;
        storage[slot] *= 3;
        out[i] = storage[slot] + 1;
        __threadfence();
        push(&free_slots, slot_below, slot);
    }
}
static void slots_of_a_pool() {
    const int n = 150;
    int* out = device_zeros<int>(n);
    fill_pool<<<1, 1>>>();
    work_in_slots<<<2, 16>>>(device_zeros<int>(33), out, n);
    const auto host = to_host(out, n);
    for (int i = 0; i < n; ++i) expect(host[i] == 3 * i + 1, "value");
}

// clean ring_with_one_reader
__global__ void through_ring(volatile int* ring, volatile unsigned* head, volatile unsigned* tail,
                             int* out, unsigned n) {
    const unsigned size = 16;
    if (blockIdx.x == 0) {
        for (unsigned i = 0; i < n; ++i) {
            while (i - *head == size) {
            }
            __threadfence();
            ring[i % size] = i * 7;
            __threadfence();
            *tail = i + 1;
        }
    } else {
        for (unsigned i = 0; i < n; ++i) {
            while (*tail == i) {
            }
            __threadfence();
            out[i] = ring[i % size];
            __threadfence();
            *head = i + 1;
        }
    }
}
static void ring_with_one_reader() {
    const int n = 300;
    int* out = device_zeros<int>(n);
    through_ring<<<2, 1>>>(device_zeros<int>(16), device_zeros<unsigned>(1),
                           device_zeros<unsigned>(1), out, n);
    const auto host = to_host(out, n);
    for (int i = 0; i < n; ++i) expect(host[i] == 7 * i, "in order");
}

// clean ring_with_many_on_both_sides
// The number in a cell states whether the writer or the reader of a round may use the cell next.
struct Cell {
    unsigned turn;
    int value;
};
__global__ void many_through_ring(Cell* cells, unsigned* tail, unsigned* head, int* sum, int each) {
    const unsigned size = 8;
    for (int i = 0; i < each; ++i) {
        const bool writes = blockIdx.x % 2 == 0;
        const unsigned ticket = atomicAdd(writes ? tail : head, 1);
        Cell& cell = cells[ticket % size];
        const unsigned turn = ticket / size * 2 + (writes ? 0 : 1);
        while (*static_cast<volatile unsigned*>(&cell.turn) != turn) __nanosleep(20);
        __threadfence();
        if (writes)
            cell.value = static_cast<int>(ticket) + 1;
        else
            atomicAdd(sum, cell.value);
        __threadfence();
        *static_cast<volatile unsigned*>(&cell.turn) = turn + 1;
    }
}
static void ring_with_many_on_both_sides() {
    int* sum = device_zeros<int>(1);
    many_through_ring<<<6, 1>>>(device_zeros<Cell>(8), device_zeros<unsigned>(1),
                                device_zeros<unsigned>(1), sum, 50);
    expect(to_host(sum, 1)[0] == 150 * 151 / 2, "sum of all that went through");
}

// clean tasks_that_make_tasks
// Ranges are halved until they are short. The work is done when no task is queued or running.
__global__ void cut_ranges(int2* tasks, int* ready, int* tail, int* next, int* open, int* leaves) {
    for (;;) {
        const int mine = atomicAdd(next, 1);
        while (atomicAdd(&ready[mine], 0) == 0) {
            if (atomicAdd(open, 0) == 0) return;
        }
        __threadfence();
        const int2 range = tasks[mine];
        if (range.y - range.x <= 3) {
            for (int i = range.x; i < range.y; ++i) leaves[i] += 1;
        } else {
            const int middle = (range.x + range.y) / 2;
            atomicAdd(open, 2);
            const int at = atomicAdd(tail, 2);
            tasks[at] = make_int2(range.x, middle);
            tasks[at + 1] = make_int2(middle, range.y);
            __threadfence();
            atomicExch(&ready[at], 1);
            atomicExch(&ready[at + 1], 1);
        }
        __threadfence();
        atomicSub(open, 1);
    }
}
static void tasks_that_make_tasks() {
    const int n = 200, room = 1000;
    std::vector<int2> tasks(room);
    tasks[0] = make_int2(0, n);
    std::vector<int> ready(room);
    ready[0] = 1;
    int* leaves = device_zeros<int>(n);
    cut_ranges<<<2, 16>>>(to_device(tasks), to_device(ready), to_device<int>({1}),
                          device_zeros<int>(1), to_device<int>({1}), leaves);
    for (const int times : to_host(leaves, n)) expect(times == 1, "each number is in one leaf");
}

// clean work_is_stolen
// A 64-bit word packs a block's work range. The owner takes from the front, others from the back.
__device__ int take(unsigned long long* range, bool from_front) {
    for (unsigned long long seen = *static_cast<volatile unsigned long long*>(range);;) {
        const unsigned begin = seen >> 32, end = static_cast<unsigned>(seen);
        if (begin >= end) return -1;
        const unsigned long long left = from_front ? (begin + 1ull) << 32 | end : seen - 1;
        const unsigned long long before = atomicCAS(range, seen, left);
        if (before == seen) return from_front ? begin : end - 1;
        seen = before;
    }
}
__global__ void work_and_steal(unsigned long long* ranges, int* done) {
    if (threadIdx.x != 0) return;
    for (unsigned i = 0; i < gridDim.x; ++i) {
        const unsigned victim = (blockIdx.x + i) % gridDim.x;
        for (int item; (item = take(&ranges[victim], i == 0)) >= 0;) {
            int steps = 0;  // makes some items take much longer
            for (int x = item % 97 + 1; x != 1; x = x % 2 ? 3 * x + 1 : x / 2) ++steps;
            done[item] += steps + 1;
        }
    }
}
static void work_is_stolen() {
    const int n = 400;
    int* done = device_zeros<int>(n);
    work_and_steal<<<4, 32>>>(to_device<unsigned long long>({0ull << 32 | 10, 10ull << 32 | 300,
                                                             300ull << 32 | 300, 300ull << 32 | n}),
                              done);
    const auto host = to_host(done, n);
    for (int i = 0; i < n; ++i) {
        int steps = 1;
        for (int x = i % 97 + 1; x != 1; x = x % 2 ? 3 * x + 1 : x / 2) ++steps;
        expect(host[i] == steps, "done once");
    }
}

// clean queue_of_a_block_first
// A block collects results in shared memory, and reserves output space for all of them at once.
__global__ void collect_multiples(int* out, int* count, const int* in, int n) {
    __shared__ int found[128];
    __shared__ int found_count, at;
    if (threadIdx.x == 0) found_count = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 7 == 0) found[atomicAdd(&found_count, 1)] = in[i];
    __syncthreads();
    if (threadIdx.x == 0) at = atomicAdd(count, found_count);
    __syncthreads();
    if (threadIdx.x < found_count) out[at + threadIdx.x] = found[threadIdx.x];
}
static void queue_of_a_block_first() {
    const int n = 1000;
    int *out = device_zeros<int>(n), *count = device_zeros<int>(1);
    collect_multiples<<<8, 128>>>(out, count, device_iota<int>(n), n);
    const int found = to_host(count, 1)[0];
    expect(found == 143, "count");
    std::vector<int> seen(n);
    for (const int value : to_host(out, found)) seen[value] += 1;
    for (int i = 0; i < n; ++i) expect(seen[i] == (i % 7 == 0), "found once");
}

// clean token_around_a_ring
// In every round, each block waits until its predecessor passes the token.
__global__ void pass_token(volatile int* mail, int* token, int rounds) {
    const int me = blockIdx.x, next = (blockIdx.x + 1) % gridDim.x;
    for (int round = 1; round <= rounds; ++round) {
        while (mail[me] < round) {
        }
        __threadfence();
        *token = *token * 2 % 1009 + me;
        __threadfence();
        mail[next] = me + 1 == static_cast<int>(gridDim.x) ? round + 1 : round;
    }
}
static void token_around_a_ring() {
    const int blocks = 7, rounds = 30;
    int* token = to_device<int>({1});
    std::vector<int> mail(blocks);
    mail[0] = 1;
    pass_token<<<blocks, 1>>>(to_device(mail), token, rounds);
    int want = 1;
    for (int i = 0; i < blocks * rounds; ++i) want = want * 2 % 1009 + i % blocks;
    expect(to_host(token, 1)[0] == want, "token");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"numbers_until_none_are_left", numbers_until_none_are_left},
                        {"chunks_for_blocks", chunks_for_blocks},
                        {"tickets_for_warps", tickets_for_warps},
                        {"list_by_exchange", list_by_exchange},
                        {"stack_with_counted_head", stack_with_counted_head},
                        {"slots_of_a_pool", slots_of_a_pool},
                        {"ring_with_one_reader", ring_with_one_reader},
                        {"ring_with_many_on_both_sides", ring_with_many_on_both_sides},
                        {"tasks_that_make_tasks", tasks_that_make_tasks},
                        {"work_is_stolen", work_is_stolen},
                        {"queue_of_a_block_first", queue_of_a_block_first},
                        {"token_around_a_ring", token_around_a_ring},
                    });
}
