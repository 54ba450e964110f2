// Blocks that cooperate correctly: through atomics, fences, a grid barrier or several launches.
#include "../cases.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

// clean atomic_histogram
__global__ void histogram(int* bins, const int* values) {
    atomicAdd(&bins[values[blockIdx.x * blockDim.x + threadIdx.x] % 32], 1);
}
static void atomic_histogram() {
    int* bins = device_zeros<int>(32);
    histogram<<<8, 128>>>(bins, device_iota<int>(1024));
    for (const int count : to_host(bins, 32)) expect(count == 32, "bin");
}

// clean last_block_sums
__global__ void sum_by_last_block(int* partial, unsigned* finished, int* out, const int* in) {
    __shared__ int sums[64];
    __shared__ bool is_last;
    sums[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sums[0];
        __threadfence();
        is_last = atomicInc(finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    int sum = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += 64) sum += partial[b];
    atomicAdd(out, sum);
}
static void last_block_sums() {
    int* out = device_zeros<int>(1);
    sum_by_last_block<<<100, 64>>>(device_zeros<int>(100), device_zeros<unsigned>(1), out,
                                   device_iota<int>(6400));
    expect(to_host(out, 1)[0] == 6399 * 3200, "sum");
}

// clean every_thread_fences
__global__ void fence_then_barrier(int* data, unsigned* finished, int* out) {
    __shared__ bool is_last;
    data[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(finished, 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last) {
        __threadfence();
        for (unsigned b = 0; b < gridDim.x; ++b) atomicAdd(out, data[b * 64 + threadIdx.x]);
    }
}
static void every_thread_fences() {
    int* out = device_zeros<int>(1);
    fence_then_barrier<<<16, 64>>>(device_zeros<int>(1024), device_zeros<unsigned>(1), out);
    expect(to_host(out, 1)[0] == 16 * 63 * 32, "sum");
}

// clean look_back_scan
// Each block publishes its sum and then its inclusive prefix, and looks back to compute its prefix.
__global__ void scan_with_look_back(int* out, const int* in, int* sums, int* prefixes,
                                    volatile int* state, int* tickets) {
    __shared__ int block, before;
    __shared__ int values[64];
    const int t = threadIdx.x;
    if (t == 0) block = atomicAdd(tickets, 1);
    __syncthreads();
    values[t] = in[block * 64 + t];
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; ++i) {
            sum += values[i];
            values[i] = sum;
        }
        sums[block] = sum;
        __threadfence();
        state[block] = 1;
        int prefix = 0;
        for (int b = block - 1; b >= 0; --b) {
            int seen;
            while ((seen = state[b]) == 0) {
            }
            __threadfence();
            if (seen == 2) {
                prefix += prefixes[b];
                break;
            }
            prefix += sums[b];
        }
        before = prefix;
        prefixes[block] = prefix + sum;
        __threadfence();
        state[block] = 2;
    }
    __syncthreads();
    out[block * 64 + t] = before + values[t];
}
static void look_back_scan() {
    int* out = device_zeros<int>(1280);
    scan_with_look_back<<<20, 64>>>(out, device_iota<int>(1280), device_zeros<int>(20),
                                    device_zeros<int>(20), device_zeros<int>(20),
                                    device_zeros<int>(1));
    const auto host = to_host(out, 1280);
    for (int i = 0; i < 1280; ++i) expect(host[i] == i * (i + 1) / 2, "scan");
}

// clean grid_barrier
__global__ void rotate_often(int* a, int* b, int n, int passes) {
    cg::grid_group grid = cg::this_grid();
    const int i = grid.thread_rank();
    for (int pass = 0; pass < passes; ++pass) {
        b[i] = a[(i + 1) % n];
        grid.sync();
        a[i] = b[i];
        grid.sync();
    }
}
static void grid_barrier() {
    int n = 512, passes = 5;
    int *a = device_iota<int>(n), *b = device_zeros<int>(n);
    void* arguments[] = {&a, &b, &n, &passes};
    need(cudaLaunchCooperativeKernel(rotate_often, 8, 64, arguments));
    const auto host = to_host(a, n);
    for (int i = 0; i < n; ++i) expect(host[i] == (i + 5) % n, "rotated");
}

// clean home_made_grid_barrier
__global__ void own_grid_barrier(int* values, unsigned* arrived, int* out) {
    values[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += values[b * 32 + threadIdx.x];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
static void home_made_grid_barrier() {
    int* out = device_zeros<int>(128);
    own_grid_barrier<<<4, 32>>>(device_zeros<int>(128), device_zeros<unsigned>(1), out);
    for (const int sum : to_host(out, 128)) expect(sum == 6, "sum");
}

// clean flag_with_fences
__global__ void hand_over(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
static void flag_with_fences() {
    int* out = device_zeros<int>(64);
    hand_over<<<2, 64>>>(device_zeros<int>(64), device_zeros<int>(1), out);
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(host[i] == i + 1, "handed over");
}

// clean release_and_acquire
__global__ void hand_over_atomically(int* data, int* flag, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        data[0] = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {
        }
        *out = data[0];
    }
}
static void release_and_acquire() {
    int* out = device_zeros<int>(1);
    hand_over_atomically<<<2, 1>>>(device_zeros<int>(1), device_zeros<int>(1), out);
    expect(to_host(out, 1)[0] == 42, "handed over");
}

// clean lock_between_blocks
__global__ void add_under_lock(int* lock, int* total) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *total += blockIdx.x;
        __threadfence();
        atomicExch(lock, 0);
    }
}
static void lock_between_blocks() {
    int* total = device_zeros<int>(1);
    add_under_lock<<<64, 32>>>(device_zeros<int>(1), total);
    expect(to_host(total, 1)[0] == 63 * 32, "total");
}

// clean same_value_from_all_blocks
__global__ void any_above(int* found, const int* in, int limit) {
    if (in[blockIdx.x * blockDim.x + threadIdx.x] > limit) *found = 1;
}
static void same_value_from_all_blocks() {
    int* found = device_zeros<int>(1);
    any_above<<<8, 64>>>(found, device_iota<int>(512), 10);
    expect(to_host(found, 1)[0] == 1, "found");
}

// clean bytes_of_neighbouring_blocks
__global__ void odd_blocks(unsigned char* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // 33 threads, so two blocks share a word
    out[i] = out[i] + i % 100;
}
static void bytes_of_neighbouring_blocks() {
    unsigned char* out = device_zeros<unsigned char>(330);
    odd_blocks<<<10, 33>>>(out);
    const auto host = to_host(out, 330);
    for (int i = 0; i < 330; ++i) expect(host[i] == i % 100, "byte");
}

// clean interleaved_blocks
__global__ void columns(int* out, int rows, int cols) {
    for (int row = threadIdx.x; row < rows; row += blockDim.x) out[row * cols + blockIdx.x] += row;
}
static void interleaved_blocks() {
    int* out = device_zeros<int>(64 * 37);
    columns<<<37, 32>>>(out, 64, 37);
    const auto host = to_host(out, 64 * 37);
    for (int i = 0; i < 64 * 37; ++i) expect(host[i] == i / 37, "column");
}

// clean in_place_by_owner
__global__ void update_own(float* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        x[i] = 2 * x[i];
        x[i] = x[i] + 1;
    }
}
static void in_place_by_owner() {
    float* x = device_iota<float>(1000);
    update_own<<<3, 96>>>(x, 1000);
    const auto host = to_host(x, 1000);
    for (int i = 0; i < 1000; ++i) expect(host[i] == 2 * i + 1, "value");
}

// clean stencil_in_many_launches
__global__ void stencil(int* out, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = (i > 0 ? in[i - 1] : 0) + in[i] + (i + 1 < n ? in[i + 1] : 0);
}
static void stencil_in_many_launches() {
    const int n = 300;
    int *a = device_zeros<int>(n), *b = device_zeros<int>(n);
    const int one = 1;
    need(cudaMemcpy(a + 150, &one, sizeof one, cudaMemcpyHostToDevice));
    // Make more launches than the race checks can distinguish.
    for (int pass = 0; pass < 140; ++pass) {
        stencil<<<3, 128>>>(b, a, n);
        std::swap(a, b);
    }
    std::vector<int> want(n), next(n);
    want[150] = 1;
    for (int pass = 0; pass < 140; ++pass) {
        for (int i = 0; i < n; ++i) {
            next[i] = static_cast<int>((i > 0 ? unsigned(want[i - 1]) : 0u) + unsigned(want[i]) +
                                       (i + 1 < n ? unsigned(want[i + 1]) : 0u));
        }
        std::swap(want, next);
    }
    expect(to_host(a, n) == want, "stencil");
}

// clean in_place_transpose_by_pairs
__global__ void swap_tiles(int* x, int n) {
    // For each pair of mirrored tiles, one block swaps the two tiles, and the other block returns.
    if (blockIdx.x < blockIdx.y) return;
    __shared__ int upper[16][17], lower[16][17];
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    const int mirror_col = blockIdx.y * 16 + threadIdx.x,
              mirror_row = blockIdx.x * 16 + threadIdx.y;
    upper[threadIdx.y][threadIdx.x] = x[row * n + col];
    lower[threadIdx.y][threadIdx.x] = x[mirror_row * n + mirror_col];
    __syncthreads();
    x[mirror_row * n + mirror_col] = upper[threadIdx.x][threadIdx.y];
    if (blockIdx.x != blockIdx.y) x[row * n + col] = lower[threadIdx.x][threadIdx.y];
}
static void in_place_transpose_by_pairs() {
    int* x = device_iota<int>(64 * 64);
    swap_tiles<<<dim3(4, 4), dim3(16, 16)>>>(x, 64);
    const auto host = to_host(x, 64 * 64);
    for (int i = 0; i < 64 * 64; ++i) expect(host[i] == i % 64 * 64 + i / 64, "transpose");
}

// clean work_queue
__global__ void take_work(int* next, int* done, int n) {
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0) item = atomicAdd(next, 1);
        __syncthreads();
        const int mine = item;
        __syncthreads();
        if (mine >= n) return;
        done[mine * 32 + threadIdx.x] += 1;
    }
}
static void work_queue() {
    int* done = device_zeros<int>(50 * 32);
    take_work<<<4, 32>>>(device_zeros<int>(1), done, 50);
    for (const int times : to_host(done, 50 * 32)) expect(times == 1, "done once");
}

// clean maximum_by_compare_and_swap
__global__ void maximum(float* best, const float* in) {
    int* bits = reinterpret_cast<int*>(best);
    const float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    int seen = atomicAdd(bits, 0);
    while (__int_as_float(seen) < mine) {
        const int before = atomicCAS(bits, seen, __float_as_int(mine));
        if (before == seen) break;
        seen = before;
    }
}
static void maximum_by_compare_and_swap() {
    float* best = device_zeros<float>(1);
    maximum<<<4, 64>>>(best, device_iota<float>(256));
    expect(to_host(best, 1)[0] == 255, "maximum");
}

// clean two_streams
__global__ void add(int* x, int by) {
    x[blockIdx.x * blockDim.x + threadIdx.x] += by;
}
static void two_streams() {
    cudaStream_t first, second;
    need(cudaStreamCreate(&first));
    need(cudaStreamCreate(&second));
    cudaEvent_t ready;
    need(cudaEventCreate(&ready));
    int* x = device_iota<int>(256);
    add<<<4, 64, 0, first>>>(x, 1);
    need(cudaEventRecord(ready, first));
    need(cudaStreamWaitEvent(second, ready, 0));
    add<<<2, 128, 0, second>>>(x, 10);
    need(cudaStreamSynchronize(second));
    const auto host = to_host(x, 256);
    for (int i = 0; i < 256; ++i) expect(host[i] == i + 11, "value");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"atomic_histogram", atomic_histogram},
                        {"last_block_sums", last_block_sums},
                        {"every_thread_fences", every_thread_fences},
                        {"look_back_scan", look_back_scan},
                        {"grid_barrier", grid_barrier},
                        {"home_made_grid_barrier", home_made_grid_barrier},
                        {"flag_with_fences", flag_with_fences},
                        {"release_and_acquire", release_and_acquire},
                        {"lock_between_blocks", lock_between_blocks},
                        {"same_value_from_all_blocks", same_value_from_all_blocks},
                        {"bytes_of_neighbouring_blocks", bytes_of_neighbouring_blocks},
                        {"interleaved_blocks", interleaved_blocks},
                        {"in_place_by_owner", in_place_by_owner},
                        {"stencil_in_many_launches", stencil_in_many_launches},
                        {"in_place_transpose_by_pairs", in_place_transpose_by_pairs},
                        {"work_queue", work_queue},
                        {"maximum_by_compare_and_swap", maximum_by_compare_and_swap},
                        {"two_streams", two_streams},
                    });
}
