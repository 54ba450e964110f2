// not built by clang: cuda_awbarrier_primitives.h and cuda/barrier are part of the toolkit
// Tests mbarrier: arrivals, waits, and transaction counts.
// expect: phases by parity: ok
// expect: arrival with a count: ok
// expect: states and pending counts: ok
// expect: expected bytes: ok
// expect: cuda::barrier: ok
// expect: producer and consumers: ok
// expect: arrive and drop: ok
// expect: arrival of copies: ok
#include <cuda_awbarrier_primitives.h>
#include <cuda/barrier>

#include "check.h"

// init() initialises a cuda::barrier in shared memory, so its constructor does not run.
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int kThreads = 96;

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void init(unsigned long long& b, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&b)), "r"(count)
                 : "memory");
}
__device__ unsigned long long arrive(unsigned long long& b) {
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(shared_address(&b))
                 : "memory");
    return state;
}
__device__ bool parity_over(unsigned long long& b, unsigned parity) {
    unsigned over;
    asm volatile(
        "{ .reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(shared_address(&b)), "r"(parity)
        : "memory");
    return over;
}
__device__ bool state_over(unsigned long long& b, unsigned long long state) {
    unsigned over;
    asm volatile(
        "{ .reg .pred p;\n\t"
        "mbarrier.test_wait.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(shared_address(&b)), "l"(state)
        : "memory");
    return over;
}

/// Passes each value around the block once. In each phase, a thread reads its neighbour's value.
__global__ void parities(int* out) {
    __shared__ unsigned long long b;
    __shared__ int values[2][kThreads];
    const int i = threadIdx.x;
    if (i == 0) init(b, kThreads);
    __syncthreads();
    int value = i;
    for (unsigned phase = 0; phase < 10; ++phase) {
        values[phase % 2][i] = value;
        arrive(b);
        while (!parity_over(b, phase & 1)) {
        }
        value = values[phase % 2][(i + 1) % kThreads];
    }
    out[i] = value;
}

__global__ void counts(int* out) {
    __shared__ unsigned long long b;
    __shared__ int total;
    if (threadIdx.x == 0) init(b, kThreads * 2), total = 0;
    __syncthreads();
    atomicAdd(&total, threadIdx.x);
    asm volatile(
        "{ .reg .b64 s;\n\t"
        "mbarrier.arrive.release.cta.shared::cta.b64 s, [%0], 2; }" ::"r"(shared_address(&b))
        : "memory");
    while (!parity_over(b, 0)) {
    }
    out[threadIdx.x] = total;
}

__global__ void states(int* out) {
    __shared__ unsigned long long b;
    if (threadIdx.x != 0) return;
    init(b, 3);
    const unsigned long long first = arrive(b);
    out[0] = __mbarrier_token_pending_count(first);
    out[1] = state_over(b, first);
    const unsigned long long second = arrive(b);
    out[2] = __mbarrier_token_pending_count(second);
    out[3] = state_over(b, second);
    const unsigned long long third = arrive(b);
    out[4] = __mbarrier_token_pending_count(third);
    out[5] = state_over(b, first) + state_over(b, second) + state_over(b, third);
    // The next phase begins automatically.
    const unsigned long long fourth = arrive(b);
    out[6] = __mbarrier_token_pending_count(fourth);
    out[7] = state_over(b, fourth);
    out[8] = parity_over(b, 0) * 2 + parity_over(b, 1);
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&b)) : "memory");
}

/// No test returns the value `never`. The condition keeps complete_tx after the first test: ptxas
/// would otherwise move this relaxed instruction to a place before the test.
__global__ void bytes(int* out, int never) {
    __shared__ unsigned long long b;
    if (threadIdx.x != 0) return;
    init(b, 1);
    const unsigned address = shared_address(&b);
    asm volatile(
        "{ .reg .b64 s;\n\t"
        "mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 48; }" ::"r"(address)
        : "memory");
    out[0] = parity_over(b, 0);
    if (out[0] != never) {
        asm volatile("mbarrier.complete_tx.shared::cta.relaxed.cluster.b64 [%0], 48;" ::"r"(address)
                     : "memory");
    }
    out[1] = parity_over(b, 0);
}

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void standard(int* out) {
    __shared__ Barrier b;
    __shared__ int values[kThreads];
    if (threadIdx.x == 0) init(&b, kThreads);
    __syncthreads();
    values[threadIdx.x] = threadIdx.x * 3;
    b.arrive_and_wait();
    int sum = values[(threadIdx.x + 50) % kThreads];
    auto token = b.arrive();
    sum += 1000;
    b.wait(std::move(token));
    values[threadIdx.x] = -1;
    b.arrive_and_wait();
    out[threadIdx.x] = sum + values[(threadIdx.x + 1) % kThreads];
}

/// The first warp fills one half of a buffer while the other warps empty the other half.
__global__ void producer(int* out, int rounds) {
    __shared__ Barrier full[2], empty[2];
    __shared__ int buffer[2][32];
    if (threadIdx.x < 2) init(&full[threadIdx.x], kThreads), init(&empty[threadIdx.x], kThreads);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; ++r) {
            empty[r % 2].arrive_and_wait();
            buffer[r % 2][threadIdx.x] = r * 100 + threadIdx.x;
            (void)full[r % 2].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        int sum = 0;
        for (int r = 0; r < rounds; ++r) {
            full[r % 2].arrive_and_wait();
            sum += buffer[r % 2][threadIdx.x % 32];
            if (r + 2 < rounds) (void)empty[r % 2].arrive();
        }
        out[threadIdx.x - 32] = sum;
    }
}

__global__ void dropping(int* out) {
    __shared__ Barrier b;
    __shared__ int count;
    if (threadIdx.x == 0) init(&b, kThreads), count = 0;
    __syncthreads();
    // In every round, a third of the remaining threads drop out.
    for (int round = 0; round < 3; ++round) {
        if (static_cast<int>(threadIdx.x) / 32 == round) {
            atomicAdd(&count, 1);
            b.arrive_and_drop();
            break;
        }
        b.arrive_and_wait();
    }
    __syncthreads();
    out[threadIdx.x] = count;
}

__global__ void copies(int* out, const int* in) {
    __shared__ unsigned long long b;
    __shared__ int tile[kThreads];
    const int i = threadIdx.x;
    if (i == 0) init(b, 2 * kThreads);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tile[i])),
                 "l"(in + i)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&b))
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(shared_address(&b))
                 : "memory");
    arrive(b);
    while (!parity_over(b, 0)) {
    }
    out[i] = tile[kThreads - 1 - i];
}

template <class Kernel, class Answer>
void test(const char* name, Kernel kernel, int count, Answer answer) {
    DeviceArray<int> out(count);
    kernel(out);
    expect_equal(name, out.read(), for_threads<int>(count, answer));
}

int main() {
    test(
        "phases by parity", [](int* out) { parities<<<1, kThreads>>>(out); }, kThreads,
        [](int i) { return (i + 10) % kThreads; });
    test(
        "arrival with a count", [](int* out) { counts<<<1, kThreads>>>(out); }, kThreads,
        [](int) { return kThreads * (kThreads - 1) / 2; });
    const int state_answers[] = {3, 0, 2, 0, 1, 3, 3, 0, 2};
    test(
        "states and pending counts", [](int* out) { states<<<1, 32>>>(out); }, 9,
        [&](int i) { return state_answers[i]; });
    test(
        "expected bytes", [](int* out) { bytes<<<1, 32>>>(out, 2); }, 2, [](int i) { return i == 1; });
    test(
        "cuda::barrier", [](int* out) { standard<<<1, kThreads>>>(out); }, kThreads,
        [](int i) { return (i + 50) % kThreads * 3 + 1000 - 1; });
    test(
        "producer and consumers", [](int* out) { producer<<<1, kThreads>>>(out, 7); }, 64,
        [](int i) { return 2100 + 7 * (i % 32); });
    test(
        "arrive and drop", [](int* out) { dropping<<<1, kThreads>>>(out); }, kThreads,
        [](int) { return kThreads; });
    DeviceArray<int> in(for_threads<int>(kThreads, [](int i) { return i * i; }));
    test(
        "arrival of copies", [&](int* out) { copies<<<1, kThreads>>>(out, in); }, kThreads,
        [](int i) { return (kThreads - 1 - i) * (kThreads - 1 - i); });
}
