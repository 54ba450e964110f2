// Programs that use libcu++: barriers, pipelines, latches, semaphores and atomics.
// not built by clang: cuda/pipeline, cuda/latch and cuda/semaphore are part of NVIDIA's toolkit
#include "../cases.h"

#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>

#include <climits>

namespace cg = cooperative_groups;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// clean work_between_arrive_and_wait
__global__ void split_phase(int* out, const int* in, int rounds) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ BlockBarrier bar;
    __shared__ int shared[2][128];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    int local = 0, seen = 0;
    for (int r = 0; r < rounds; ++r) {
        shared[r & 1][threadIdx.x] = in[threadIdx.x] + r;
        BlockBarrier::arrival_token token = bar.arrive();
        local += r * in[threadIdx.x];  // touches nothing shared
        bar.wait(std::move(token));
        seen += shared[r & 1][(threadIdx.x + 33) % 128];
    }
    out[threadIdx.x] = seen - local;
}
static void work_between_arrive_and_wait() {
    int *out = device_zeros<int>(128);
    split_phase<<<1, 128>>>(out, device_iota<int>(128), 6);
    const auto got = to_host(out, 128);
    for (int i = 0; i < 128; ++i) expect(got[i] == 6 * ((i + 33) % 128) + 15 - 15 * i, "value");
}

// clean producer_and_consumer_barriers
// As in the programming guide, each of two buffers has a "ready" and a "filled" barrier.
__device__ void produce(BlockBarrier ready[], BlockBarrier filled[], float* buffer, int len,
                        const float* in, int n) {
    for (int i = 0; i < n / len; ++i) {
        ready[i % 2].arrive_and_wait();
        for (int k = threadIdx.x; k < len; k += 32) buffer[i % 2 * len + k] = 2 * in[i * len + k];
        (void)filled[i % 2].arrive();
    }
}
__device__ void consume(BlockBarrier ready[], BlockBarrier filled[], float* buffer, int len,
                        float* out, int n) {
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    for (int i = 0; i < n / len; ++i) {
        filled[i % 2].arrive_and_wait();
        for (int k = threadIdx.x - 32; k < len; k += blockDim.x - 32)
            out[i * len + k] = buffer[i % 2 * len + len - 1 - k];
        (void)ready[i % 2].arrive();
    }
}
__global__ void producer_consumer(float* out, const float* in, int n) {
    __shared__ float buffer[2 * 48];
    __shared__ BlockBarrier bar[4];
    if (threadIdx.x < 4) init(bar + threadIdx.x, blockDim.x);
    __syncthreads();
    if (threadIdx.x < 32) {
        produce(bar, bar + 2, buffer, 48, in, n);
    } else {
        consume(bar, bar + 2, buffer, 48, out, n);
    }
}
static void producer_and_consumer_barriers() {
    const int n = 48 * 7;
    float* out = device_zeros<float>(n);
    producer_consumer<<<1, 96>>>(out, device_iota<float>(n), n);
    const auto got = to_host(out, n);
    for (int i = 0; i < n; ++i) expect(got[i] == 2 * (i / 48 * 48 + 47 - i % 48), "value");
}

// clean pipeline_of_a_block
template <int STAGES>
__global__ void block_pipeline(int* out, const int* in, int batches) {
    extern __shared__ int buffer[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int size = block.size();
    int sum = 0;
    for (int compute = 0, fetch = 0; compute < batches; ++compute) {
        for (; fetch < batches && fetch < compute + STAGES; ++fetch) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer + fetch % STAGES * size, in + fetch * size,
                               sizeof(int) * size, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += buffer[compute % STAGES * size + (size - 1 - threadIdx.x)] * (compute + 1);
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
static void pipeline_of_a_block() {
    const int batches = 8, size = 64;
    int* out = device_zeros<int>(size);
    block_pipeline<3><<<1, size, 3 * size * sizeof(int)>>>(out, device_iota<int>(batches * size),
                                                           batches);
    const auto got = to_host(out, size);
    for (int i = 0; i < size; ++i) {
        int want = 0;
        for (int b = 0; b < batches; ++b) want += (b * size + size - 1 - i) * (b + 1);
        expect(got[i] == want, "sum");
    }
}

// clean pipeline_with_roles
__global__ void pipeline_roles(int* out, const int* in, int batches) {
    __shared__ int buffer[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    const auto role = block.thread_rank() < 32 ? cuda::pipeline_role::producer
                                               : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (role == cuda::pipeline_role::producer) {
        for (int b = 0; b < batches; ++b) {
            pipe.producer_acquire();
            for (int i = threadIdx.x; i < 64; i += 32)
                cuda::memcpy_async(&buffer[b % 2][i], &in[b * 64 + i], sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        int sum = 0;
        for (int b = 0; b < batches; ++b) {
            pipe.consumer_wait();
            for (int i = 0; i < 64; i += 2) sum += buffer[b % 2][i + threadIdx.x % 2];
            pipe.consumer_release();
        }
        out[threadIdx.x - 32] = sum;
    }
}
static void pipeline_with_roles() {
    int* out = device_zeros<int>(64);
    pipeline_roles<<<1, 96>>>(out, device_iota<int>(640), 10);
    const auto got = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(got[i] == 640 * 639 / 2 / 2 + (i % 2 ? 160 : -160), "sum");
}

// clean pipeline_of_a_thread
__global__ void thread_pipeline(float* out, const float* in, int steps) {
    __shared__ float stage[2][64];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[0][threadIdx.x], in + threadIdx.x, sizeof(float), pipe);
    pipe.producer_commit();
    float sum = 0;
    for (int s = 1; s <= steps; ++s) {
        if (s < steps) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[s % 2][threadIdx.x], in + s * 64 + threadIdx.x,
                               sizeof(float), pipe);
            pipe.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else {
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        }
        sum += stage[(s - 1) % 2][threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
static void pipeline_of_a_thread() {
    float* out = device_zeros<float>(64);
    thread_pipeline<<<1, 64>>>(out, device_iota<float>(64 * 5), 5);
    const auto got = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(got[i] == 5 * i + 640, "sum");
}

// clean latch_for_the_last_warp
// Three warps count the latch down after writing their parts. The fourth warp waits at the latch.
__global__ void count_down(int* out) {
    __shared__ int parts[96];
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) char room[sizeof(Latch)];
    Latch& done = *reinterpret_cast<Latch*>(room);
    if (threadIdx.x == 0) new (room) Latch(96);
    __syncthreads();
    if (threadIdx.x < 96) {
        parts[threadIdx.x] = threadIdx.x * threadIdx.x;
        done.count_down();
    } else {
        done.wait();
        int sum = 0;
        for (int i = threadIdx.x - 96; i < 96; i += 32) sum += parts[i];
        out[threadIdx.x - 96] = sum;
    }
}
static void latch_for_the_last_warp() {
    int* out = device_zeros<int>(32);
    count_down<<<1, 128>>>(out);
    const auto got = to_host(out, 32);
    for (int i = 0; i < 32; ++i) {
        expect(got[i] == i * i + (i + 32) * (i + 32) + (i + 64) * (i + 64), "sum of squares");
    }
}

// clean latch_of_the_device
__device__ cuda::latch<cuda::thread_scope_device>* published;
__global__ void place_latch(void* where, int count) {
    published = new (where) cuda::latch<cuda::thread_scope_device>(count);
}
__global__ void gather_after_latch(int* values, int* sum) {
    if (threadIdx.x == 0) {
        values[blockIdx.x] = 10 + blockIdx.x;
        published->arrive_and_wait();
        if (blockIdx.x == 0) {
            for (int i = 0; i < gridDim.x; ++i) *sum += values[i];
        }
    }
}
static void latch_of_the_device() {
    const int blocks = 6;
    int *sum = device_zeros<int>(1), *values = device_zeros<int>(blocks);
    place_latch<<<1, 1>>>(device_zeros<long long>(8), blocks);
    gather_after_latch<<<blocks, 32>>>(values, sum);
    expect(to_host(sum, 1)[0] == 10 * blocks + 15, "sum");
}

// clean two_at_a_time
// A semaphore admits two blocks at a time. The admitted blocks count themselves.
using Gate = cuda::counting_semaphore<cuda::thread_scope_device, 2>;
__global__ void make_gate(Gate* gate) {
    new (gate) Gate(2);
}
__global__ void enter(Gate* gate, int* inside, int* most, int* visits) {
    gate->acquire();
    const int now = atomicAdd(inside, 1) + 1;
    atomicMax(most, now);
    atomicAdd(visits, 1);
    atomicSub(inside, 1);
    gate->release();
}
static void two_at_a_time() {
    int *inside = device_zeros<int>(1), *most = device_zeros<int>(1), *visits = device_zeros<int>(1);
    Gate* gate = reinterpret_cast<Gate*>(device_zeros<long long>(4));
    make_gate<<<1, 1>>>(gate);
    enter<<<12, 1>>>(gate, inside, most, visits);
    expect(to_host(inside, 1)[0] == 0, "all have left");
    expect(to_host(visits, 1)[0] == 12, "all have entered");
    const int highest = to_host(most, 1)[0];
    expect(highest >= 1 && highest <= 2, "at most two inside");
}

// clean guarded_by_binary_semaphore
__device__ cuda::binary_semaphore<cuda::thread_scope_device> guard{1};
__global__ void append(int* list, int* length, int capacity) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < 5; ++i) {
        guard.acquire();
        const int at = *length;
        if (at < capacity) list[at] = blockIdx.x;
        *length = at + 1;
        guard.release();
    }
}
static void guarded_by_binary_semaphore() {
    int *list = device_zeros<int>(40), *length = device_zeros<int>(1);
    append<<<8, 32>>>(list, length, 40);
    expect(to_host(length, 1)[0] == 40, "length");
    int times[8] = {};
    for (const int b : to_host(list, 40)) ++times[b];
    for (const int t : times) expect(t == 5, "entries of a block");
}

// clean step_when_all_have_arrived
// A barrier's completion function runs once per phase, before the threads continue.
struct Swap {
    int** front;
    int** back;
    __device__ void operator()() const {
        int* f = *front;
        *front = *back;
        *back = f;
    }
};
__global__ void smooth(int* out, const int* in, int steps) {
    __shared__ int a[64], b[64], *front, *back;
    using Barrier = cuda::barrier<cuda::thread_scope_block, Swap>;
    __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
    Barrier* bar = reinterpret_cast<Barrier*>(storage);
    const int t = threadIdx.x;
    if (t == 0) {
        front = a;
        back = b;
        new (bar) Barrier(64, Swap{&front, &back});
    }
    a[t] = in[t];
    __syncthreads();
    for (int s = 0; s < steps; ++s) {
        back[t] = front[(t + 63) % 64] + front[t] + front[(t + 1) % 64];
        bar->arrive_and_wait();
    }
    out[t] = front[t];
}
static void step_when_all_have_arrived() {
    auto want = random_numbers(64, 100);
    int* out = device_zeros<int>(64);
    smooth<<<1, 64>>>(out, to_device(want), 5);
    for (int s = 0; s < 5; ++s) {
        const auto old = want;
        for (int i = 0; i < 64; ++i) want[i] = old[(i + 63) % 64] + old[i] + old[(i + 1) % 64];
    }
    expect(to_host(out, 64) == want, "smoothed");
}

// clean barrier_of_the_device
using DeviceBarrier = cuda::barrier<cuda::thread_scope_device>;
__global__ void make_barrier(DeviceBarrier* bar, int count) {
    init(bar, count);
}
__global__ void rotate_values(DeviceBarrier* bar, int* a, int* b, int rounds) {
    const int me = blockIdx.x, n = gridDim.x;
    for (int r = 0; r < rounds; ++r) {
        (r % 2 ? a : b)[me] = (r % 2 ? b : a)[(me + 1) % n] + 1;
        bar->arrive_and_wait();
    }
}
static void barrier_of_the_device() {
    const int n = 5, rounds = 8;
    int *a = device_iota<int>(n), *b = device_zeros<int>(n);
    auto* bar = reinterpret_cast<DeviceBarrier*>(device_zeros<long long>(16));
    make_barrier<<<1, 1>>>(bar, n);
    rotate_values<<<n, 1>>>(bar, a, b, rounds);
    const auto got = to_host(a, n);
    for (int i = 0; i < n; ++i) expect(got[i] == (i + rounds) % n + rounds, "value");
}

// clean threads_drop_out
__global__ void halving(int* out) {
    __shared__ BlockBarrier bar;
    __shared__ int v[64];
    const int t = threadIdx.x;
    if (t == 0) init(&bar, 64);
    v[t] = t + 1;
    __syncthreads();
    for (int active = 32; active >= 1; active /= 2) {
        if (t >= active) {
            bar.arrive_and_drop();
            return;
        }
        v[t] += v[t + active];
        bar.arrive_and_wait();
    }
    *out = v[0];
}
static void threads_drop_out() {
    int* out = device_zeros<int>(1);
    halving<<<1, 64>>>(out);
    expect(to_host(out, 1)[0] == 64 * 65 / 2, "sum");
}

// clean copy_announced_to_a_barrier
__global__ void bulk_copy(int* out, const int* in) {
    __shared__ alignas(16) int tile[256];
    __shared__ BlockBarrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    BlockBarrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(tile, in + blockIdx.x * 256, cuda::aligned_size_t<16>(sizeof(tile)), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, 0);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 256; i += blockDim.x) out[blockIdx.x * 256 + i] = tile[255 - i];
}
static void copy_announced_to_a_barrier() {
    int* out = device_zeros<int>(1024);
    bulk_copy<<<4, 64>>>(out, device_iota<int>(1024));
    const auto got = to_host(out, 1024);
    for (int i = 0; i < 1024; ++i) expect(got[i] == i / 256 * 256 + 255 - i % 256, "reversed");
}

// clean message_by_wait_and_notify
struct Mail {
    int payload[4];
    cuda::atomic<int, cuda::thread_scope_device> flag;
};
__global__ void send_and_receive(Mail* mail, int* out) {
    if (blockIdx.x == 0) {
        for (int i = 0; i < 4; ++i) mail->payload[i] = 100 + i;
        mail->flag.store(1, cuda::std::memory_order_release);
        mail->flag.notify_all();
    } else {
        mail->flag.wait(0, cuda::std::memory_order_acquire);
        for (int i = 0; i < 4; ++i) out[4 * (blockIdx.x - 1) + i] = mail->payload[i];
    }
}
static void message_by_wait_and_notify() {
    int* out = device_zeros<int>(12);
    send_and_receive<<<4, 1>>>(reinterpret_cast<Mail*>(device_zeros<int>(8)), out);
    const auto got = to_host(out, 12);
    for (int i = 0; i < 12; ++i) expect(got[i] == 100 + i % 4, "payload");
}

// clean atomic_references_to_plain_memory
__global__ void reduce_by_reference(const int* in, int n, int* lowest, float* sum, unsigned* mask) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<int, cuda::thread_scope_device>(*lowest).fetch_min(
        in[i], cuda::std::memory_order_relaxed);
    cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(static_cast<float>(in[i]));
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*mask).fetch_or(1u << in[i] % 32);
}
static void atomic_references_to_plain_memory() {
    auto in = random_numbers(500, 3000);
    int* lowest = to_device<int>({INT_MAX});
    float* sum = device_zeros<float>(1);
    unsigned* mask = device_zeros<unsigned>(1);
    reduce_by_reference<<<4, 128>>>(to_device(in), 500, lowest, sum, mask);
    int low = INT_MAX, total = 0;
    unsigned bits = 0;
    for (const int x : in) low = std::min(low, x), total += x, bits |= 1u << x % 32;
    expect(to_host(lowest, 1)[0] == low && to_host(sum, 1)[0] == total, "minimum and sum");
    expect(to_host(mask, 1)[0] == bits, "bits");
}

// clean vocabulary_types
// Standard types in kernels: optional, variant, tuple, array, complex, span.
using Shape = cuda::std::variant<int, cuda::std::array<float, 2>, cuda::std::complex<float>>;
__device__ cuda::std::optional<float> area(const Shape& shape) {
    if (const int* side = cuda::std::get_if<int>(&shape)) {
        if (*side < 0) return cuda::std::nullopt;
        return static_cast<float>(*side * *side);
    }
    if (const auto* box = cuda::std::get_if<1>(&shape)) return (*box)[0] * (*box)[1];
    return cuda::std::norm(cuda::std::get<2>(shape));
}
__device__ Shape make_shape(int i) {
    if (i % 3 == 0) return i % 2 ? -i : i;
    if (i % 3 == 1) return cuda::std::array<float, 2>{float(i), 2.f};
    return cuda::std::complex<float>(float(i), 1.f);
}
__global__ void measure_shapes(cuda::std::span<float> out) {
    for (size_t i = threadIdx.x; i < out.size(); i += blockDim.x) {
        const auto [shape, extra] = cuda::std::make_tuple(make_shape(int(i)), float(i));
        out[i] = area(shape).value_or(-1.f) + extra;
    }
}
static void vocabulary_types() {
    float* out = device_zeros<float>(50);
    measure_shapes<<<1, 32>>>(cuda::std::span<float>(out, 50));
    const auto got = to_host(out, 50);
    for (int i = 0; i < 50; ++i) {
        float want = i % 3 == 1 ? 2.f * i : i % 3 == 2 ? i * i + 1.f : i % 2 ? -1.f : float(i * i);
        expect(got[i] == want + i, "area");
    }
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"work_between_arrive_and_wait", work_between_arrive_and_wait},
                        {"producer_and_consumer_barriers", producer_and_consumer_barriers},
                        {"pipeline_of_a_block", pipeline_of_a_block},
                        {"pipeline_with_roles", pipeline_with_roles},
                        {"pipeline_of_a_thread", pipeline_of_a_thread},
                        {"latch_for_the_last_warp", latch_for_the_last_warp},
                        {"latch_of_the_device", latch_of_the_device},
                        {"two_at_a_time", two_at_a_time},
                        {"guarded_by_binary_semaphore", guarded_by_binary_semaphore},
                        {"step_when_all_have_arrived", step_when_all_have_arrived},
                        {"barrier_of_the_device", barrier_of_the_device},
                        {"threads_drop_out", threads_drop_out},
                        {"copy_announced_to_a_barrier", copy_announced_to_a_barrier},
                        {"message_by_wait_and_notify", message_by_wait_and_notify},
                        {"atomic_references_to_plain_memory", atomic_references_to_plain_memory},
                        {"vocabulary_types", vocabulary_types},
                    });
}
