// Threads of a block share memory correctly, in ways that an imprecise checker would report.
#include "../cases.h"

#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;

// Kernels initialize a cuda::barrier in shared memory with init() instead of its constructor.
#pragma nv_diag_suppress 20054

// clean tiled_transpose
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (row + j < rows && col < cols)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * cols + col];
    }
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (row + j < cols && col < rows)
            out[(row + j) * rows + col] = tile[threadIdx.x][threadIdx.y + j];
    }
}
static void tiled_transpose() {
    const int rows = 70, cols = 45;
    float* out = device_zeros<float>(rows * cols);
    transpose<<<dim3(2, 3), dim3(32, 8)>>>(out, device_iota<float>(rows * cols), rows, cols);
    const auto host = to_host(out, rows * cols);
    for (int i = 0; i < rows * cols; ++i)
        expect(host[i] == i % rows * cols + i / rows, "transpose");
}

// clean bytes_of_one_word
__global__ void reverse_bytes(unsigned char* out) {
    __shared__ unsigned char bytes[128];
    __shared__ unsigned short halves[128];
    const int t = threadIdx.x;
    bytes[t] = t;
    halves[(t * 37) % 128] = t;
    __syncthreads();
    out[t] = bytes[127 - t] + (halves[(t * 37) % 128] - t);
}
static void bytes_of_one_word() {
    unsigned char* out = device_zeros<unsigned char>(128);
    reverse_bytes<<<1, 128>>>(out);
    const auto host = to_host(out, 128);
    for (int i = 0; i < 128; ++i) expect(host[i] == 127 - i, "byte");
}

// clean interleaved_bytes
__global__ void strided_bytes(unsigned char* out) {
    __shared__ unsigned char bytes[128];
    // Different warps write adjacent bytes.
    const int at = threadIdx.x % 32 * 4 + threadIdx.x / 32;
    bytes[at] = at;
    out[at] = bytes[at];
}
static void interleaved_bytes() {
    unsigned char* out = device_zeros<unsigned char>(128);
    strided_bytes<<<1, 128>>>(out);
    const auto host = to_host(out, 128);
    for (int i = 0; i < 128; ++i) expect(host[i] == i, "byte");
}

// clean block_reduction
__global__ void sum_block(int* out, const int* in) {
    __shared__ int sums[256];
    sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
static void block_reduction() {
    int* out = device_zeros<int>(4);
    sum_block<<<4, 256>>>(out, device_iota<int>(1024));
    const auto host = to_host(out, 4);
    for (int b = 0; b < 4; ++b) expect(host[b] == 256 * (256 * b) + 255 * 128, "sum");
}

// clean scan_in_shared
__global__ void scan(int* out, const int* in) {
    __shared__ int sums[2][128];
    int from = 0;
    sums[0][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int by = 1; by < 128; by *= 2) {
        sums[1 - from][threadIdx.x] =
            sums[from][threadIdx.x] + (threadIdx.x >= by ? sums[from][threadIdx.x - by] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[threadIdx.x] = sums[from][threadIdx.x];
}
static void scan_in_shared() {
    int* out = device_zeros<int>(128);
    scan<<<1, 128>>>(out, device_iota<int>(128));
    const auto host = to_host(out, 128);
    for (int i = 0; i < 128; ++i) expect(host[i] == i * (i + 1) / 2, "scan");
}

// clean shared_histogram
__global__ void histogram(int* out, const int* values) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[values[threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
static void shared_histogram() {
    int* out = device_zeros<int>(16);
    histogram<<<4, 128>>>(out, device_iota<int>(128));
    for (const int count : to_host(out, 16)) expect(count == 32, "bin");
}

// clean same_value_flag
__global__ void any_large(int* out, const int* in) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (in[threadIdx.x] > 100) found = 1;  // many threads store the same value
    __syncthreads();
    if (threadIdx.x == 0) *out = found;
}
static void same_value_flag() {
    int* out = device_zeros<int>(1);
    any_large<<<1, 256>>>(out, device_iota<int>(256));
    expect(to_host(out, 1)[0] == 1, "flag");
}

// clean broadcast_with_two_barriers
__global__ void broadcast(int* out, const int* in) {
    __shared__ int value;
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        if (threadIdx.x == 32 * i) value = in[i];
        __syncthreads();
        sum += value;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
static void broadcast_with_two_barriers() {
    int* out = device_zeros<int>(96);
    broadcast<<<1, 96>>>(out, device_iota<int>(3));
    for (const int sum : to_host(out, 96)) expect(sum == 3, "sum");
}

// clean ping_pong_buffers
__global__ void one_barrier_a_pass(int* out, const int* in) {
    // With two buffers, one barrier per pass is enough.
    __shared__ int buffers[2][128];
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
        buffers[i & 1][threadIdx.x] = in[i * 128 + threadIdx.x];
        __syncthreads();
        sum += buffers[i & 1][127 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
static void ping_pong_buffers() {
    int* out = device_zeros<int>(128);
    one_barrier_a_pass<<<1, 128>>>(out, device_iota<int>(512));
    const auto host = to_host(out, 128);
    for (int i = 0; i < 128; ++i) expect(host[i] == 4 * (127 - i) + 128 * 6, "sum");
}

// clean named_barriers
__global__ void producer_consumer(int* out, const int* in, int rounds) {
    // Warp 0 produces and warp 1 consumes. Barrier 1 signals a full buffer, barrier 2 an empty one.
    __shared__ int buffer[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < rounds; ++i) {
            asm volatile("bar.sync 2, 64;" ::: "memory");
            buffer[lane] = in[i * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        }
    } else {
        int sum = 0;
        for (int i = 0; i < rounds; ++i) {
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += buffer[31 - lane];
        }
        out[lane] = sum;
    }
}
static void named_barriers() {
    int* out = device_zeros<int>(32);
    producer_consumer<<<1, 64>>>(out, device_iota<int>(128), 4);
    const auto host = to_host(out, 32);
    for (int i = 0; i < 32; ++i) expect(host[i] == 4 * (31 - i) + 32 * 6, "sum");
}

// clean two_halves_two_barriers
__global__ void halves(int* out, const int* in) {
    __shared__ int values[128];
    const int half = threadIdx.x / 64;
    values[threadIdx.x] = in[threadIdx.x];
    if (half == 0)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    out[threadIdx.x] = values[half * 64 + 63 - threadIdx.x % 64];
}
static void two_halves_two_barriers() {
    int* out = device_zeros<int>(128);
    halves<<<1, 128>>>(out, device_iota<int>(128));
    const auto host = to_host(out, 128);
    for (int i = 0; i < 128; ++i) expect(host[i] == i / 64 * 64 + 63 - i % 64, "value");
}

// clean lock_in_shared
__global__ void warps_take_turns(int* out) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0) lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence_block();
        sum += threadIdx.x;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = sum;
}
static void lock_in_shared() {
    int* out = device_zeros<int>(1);
    warps_take_turns<<<1, 256>>>(out);
    expect(to_host(out, 1)[0] == 32 * 28, "sum");
}

// clean shared_flag_with_fence
__global__ void flag_and_fence(int* out, const int* in) {
    __shared__ int value;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = in[1];
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 32) {
        while (ready == 0) {
        }
        __threadfence_block();
        *out = value;
    }
}
static void shared_flag_with_fence() {
    int* out = device_zeros<int>(1);
    flag_and_fence<<<1, 64>>>(out, device_iota<int>(2));
    expect(to_host(out, 1)[0] == 1, "value");
}

// clean arrive_and_wait
__global__ void with_block_barrier(int* out, const int* in) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[64];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    for (int i = 0; i < 3; ++i) {
        values[threadIdx.x] = in[threadIdx.x] + i;
        barrier.arrive_and_wait();
        out[threadIdx.x] = values[63 - threadIdx.x];
        barrier.arrive_and_wait();
    }
}
static void arrive_and_wait() {
    int* out = device_zeros<int>(64);
    with_block_barrier<<<1, 64>>>(out, device_iota<int>(64));
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(host[i] == 63 - i + 2, "value");
}

// clean split_arrive_wait
__global__ void arrive_then_wait(int* out, const int* in) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[64];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    auto token = barrier.arrive();
    const int own = in[threadIdx.x] * 2;  // work that does not depend on other threads
    barrier.wait(std::move(token));
    out[threadIdx.x] = own + values[63 - threadIdx.x];
}
static void split_arrive_wait() {
    int* out = device_zeros<int>(64);
    arrive_then_wait<<<1, 64>>>(out, device_iota<int>(64));
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(host[i] == 63 + i, "value");
}

// clean asynchronous_copies
__global__ void double_buffered(int* out, const int* in, int tiles) {
    __shared__ __align__(16) int tile[2][128];
    const auto fetch = [&](int i) {
        __pipeline_memcpy_async(&tile[i & 1][4 * threadIdx.x], in + i * 128 + 4 * threadIdx.x, 16);
        __pipeline_commit();
    };
    fetch(0);
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
        if (i + 1 < tiles)
            fetch(i + 1);
        else
            __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = 0; k < 4; ++k) sum += tile[i & 1][127 - threadIdx.x - 32 * k];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
static void asynchronous_copies() {
    int* out = device_zeros<int>(32);
    double_buffered<<<1, 32>>>(out, device_iota<int>(512), 4);
    const auto host = to_host(out, 32);
    for (int t = 0; t < 32; ++t) {
        int sum = 0;
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 4; ++k) sum += i * 128 + 127 - t - 32 * k;
        }
        expect(host[t] == sum, "sum");
    }
}

// clean dynamic_above_48k
__global__ void large_shared(int* out, int count) {
    extern __shared__ int buffer[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) buffer[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) out[i] = buffer[count - 1 - i];
}
static void dynamic_above_48k() {
    const int count = 100 * 1024 / 4;
    int* out = device_zeros<int>(count);
    need(
        cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, count * 4));
    large_shared<<<1, 256, count * 4>>>(out, count);
    const auto host = to_host(out, count);
    for (int i = 0; i < count; ++i) expect(host[i] == count - 1 - i, "value");
}

// clean threads_in_three_dimensions
__global__ void mirror_cube(int* out) {
    __shared__ int cube[4][4][4];
    cube[threadIdx.z][threadIdx.y][threadIdx.x] = (threadIdx.z * 4 + threadIdx.y) * 4 + threadIdx.x;
    cg::this_thread_block().sync();
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[block * 64 + cg::this_thread_block().thread_rank()] =
        cube[threadIdx.x][threadIdx.y][threadIdx.z];
}
static void threads_in_three_dimensions() {
    int* out = device_zeros<int>(64 * 12);
    mirror_cube<<<dim3(2, 3, 2), dim3(4, 4, 4)>>>(out);
    const auto host = to_host(out, 64 * 12);
    for (int i = 0; i < 64 * 12; ++i) {
        const int x = i % 4, y = i / 4 % 4, z = i / 16 % 4;
        expect(host[i] == (x * 4 + y) * 4 + z, "mirrored");
    }
}

// clean barrier_in_uniform_branch
__global__ void uniform_branch(int* out, const int* in) {
    __shared__ int values[64];
    if (blockIdx.x % 2 == 0) {
        values[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x];
    } else {
        out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
    }
}
static void barrier_in_uniform_branch() {
    int* out = device_zeros<int>(256);
    uniform_branch<<<4, 64>>>(out, device_iota<int>(64));
    const auto host = to_host(out, 256);
    for (int i = 0; i < 256; ++i) expect(host[i] == (i / 64 % 2 ? i % 64 : 63 - i % 64), "value");
}

// clean barrier_with_result
__global__ void count_odd(int* out, const int* in) {
    const int odd = __syncthreads_count(in[threadIdx.x] % 2);
    const int all = __syncthreads_and(in[threadIdx.x] < 100),
              any = __syncthreads_or(in[threadIdx.x] == 77);
    out[threadIdx.x] = odd * 4 + all * 2 + any;
}
static void barrier_with_result() {
    int* out = device_zeros<int>(96);
    count_odd<<<1, 96>>>(out, device_iota<int>(96));
    for (const int value : to_host(out, 96)) expect(value == 48 * 4 + 3, "counts");
}

// clean early_warp_leaves
__global__ void helper_warp(int* out, const int* in) {
    __shared__ int values[64];
    // Warps without data exit before the other warps synchronize at barrier 1.
    if (threadIdx.x >= 64) return;
    values[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = values[63 - threadIdx.x];
}
static void early_warp_leaves() {
    int* out = device_zeros<int>(64);
    helper_warp<<<1, 128>>>(out, device_iota<int>(64));
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(host[i] == 63 - i, "value");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"tiled_transpose", tiled_transpose},
                        {"bytes_of_one_word", bytes_of_one_word},
                        {"interleaved_bytes", interleaved_bytes},
                        {"block_reduction", block_reduction},
                        {"scan_in_shared", scan_in_shared},
                        {"shared_histogram", shared_histogram},
                        {"same_value_flag", same_value_flag},
                        {"broadcast_with_two_barriers", broadcast_with_two_barriers},
                        {"ping_pong_buffers", ping_pong_buffers},
                        {"named_barriers", named_barriers},
                        {"two_halves_two_barriers", two_halves_two_barriers},
                        {"lock_in_shared", lock_in_shared},
                        {"shared_flag_with_fence", shared_flag_with_fence},
                        {"arrive_and_wait", arrive_and_wait},
                        {"split_arrive_wait", split_arrive_wait},
                        {"asynchronous_copies", asynchronous_copies},
                        {"dynamic_above_48k", dynamic_above_48k},
                        {"threads_in_three_dimensions", threads_in_three_dimensions},
                        {"barrier_in_uniform_branch", barrier_in_uniform_branch},
                        {"barrier_with_result", barrier_with_result},
                        {"early_warp_leaves", early_warp_leaves},
                    });
}
