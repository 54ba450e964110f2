// Races in shared memory: a barrier is missing, misplaced, or includes too few threads.
#include "../cases.h"

__global__ void transpose_tile(float* out, const float* in) {
    __shared__ float tile[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];   // other no_barrier_after_store
    out[y * 32 + x] = tile[x][y];  // bug no_barrier_after_store: racecheck: read after write
}
static void no_barrier_after_store() {
    transpose_tile<<<1, dim3(32, 32)>>>(device_zeros<float>(1024), device_iota<float>(1024));
}

// The next iteration overwrites values that slower warps have not read yet.
__global__ void sum_tiles(int* out, const int* in, int tiles) {
    __shared__ int tile[128];
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
        tile[threadIdx.x] = in[i * 128 + threadIdx.x];  // bug no_barrier_before_reuse: racecheck: write after read
        __syncthreads();
        sum += tile[127 - threadIdx.x];  // other no_barrier_before_reuse
    }
    out[threadIdx.x] = sum;
}
static void no_barrier_before_reuse() {
    sum_tiles<<<1, 128>>>(device_zeros<int>(128), device_iota<int>(512), 4);
}

// The lanes of a warp need not run in lockstep.
__global__ void sum_of_warp(int* out, const int* in) {
    __shared__ int sums[64];
    sums[threadIdx.x] = in[threadIdx.x];
    sums[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        sums[threadIdx.x] += sums[threadIdx.x + half];  // bug reduction_without_syncwarp: racecheck: read after write // other reduction_without_syncwarp
        asm volatile("" ::: "memory");                  // orders the compiler's accesses only
    }
    if (threadIdx.x == 0) *out = sums[0];
}
static void reduction_without_syncwarp() {
    sum_of_warp<<<1, 32>>>(device_zeros<int>(1), device_iota<int>(64));
}

// The loop contains barriers, but none separates its last iteration from the code after the loop.
__global__ void sum_of_block(int* out, const int* in) {
    __shared__ int sums[256];
    sums[threadIdx.x] = in[threadIdx.x];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            const int other = sums[threadIdx.x + half];
            sums[threadIdx.x] += other;  // other no_barrier_after_loop
        }
    }
    if (threadIdx.x == 255) *out = sums[0];  // bug no_barrier_after_loop: racecheck: read after write
}
static void no_barrier_after_loop() {
    sum_of_block<<<1, 256>>>(device_zeros<int>(1), device_iota<int>(256));
}

// Two lanes store to the same element in a single instruction.
__global__ void compress_pairs(int* out, const int* in) {
    __shared__ int pairs[16];
    pairs[threadIdx.x / 2] = in[threadIdx.x];  // bug lanes_share_element: racecheck: write after write // other lanes_share_element
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = pairs[threadIdx.x];
}
static void lanes_share_element() {
    compress_pairs<<<1, 32>>>(device_zeros<int>(16), device_iota<int>(32));
}

__global__ void keep_last(int* out, const int* in) {
    __shared__ int slots[32];
    slots[threadIdx.x % 32] = in[threadIdx.x];  // bug warps_share_element: racecheck: write after write // other warps_share_element
    __syncthreads();
    if (threadIdx.x < 32) out[threadIdx.x] = slots[threadIdx.x];
}
static void warps_share_element() {
    keep_last<<<1, 64>>>(device_zeros<int>(32), device_iota<int>(64));
}

// There are two buffers, but the index always selects the first one.
__global__ void ping_pong(int* out, const int* in, int passes) {
    __shared__ int buffers[2][64];
    const int t = threadIdx.x;
    buffers[0][t] = in[t];
    for (int pass = 0; pass < passes; ++pass) {
        __syncthreads();
        const int neighbour = buffers[0][(t + 1) % 64];  // other double_buffer_not_swapped
        buffers[0][t] = neighbour;                       // bug double_buffer_not_swapped: racecheck: write after read
    }
    __syncthreads();
    out[t] = buffers[0][t] + buffers[passes & 1][t] * 0;
}
static void double_buffer_not_swapped() {
    ping_pong<<<1, 64>>>(device_zeros<int>(64), device_iota<int>(64), 2);
}

__global__ void count_in_shared(int* out, const int* values) {
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    bins[values[threadIdx.x] % 8]++;  // bug histogram_without_atomics: racecheck: write after read // other histogram_without_atomics
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}
static void histogram_without_atomics() {
    count_in_shared<<<1, 64>>>(device_zeros<int>(8), device_iota<int>(64));
}

__global__ void exchange_in_warp(int* out, const int* in) {
    __shared__ int values[32];
    values[threadIdx.x] = in[threadIdx.x];        // other syncwarp_missing
    out[threadIdx.x] = values[31 - threadIdx.x];  // bug syncwarp_missing: racecheck: read after write
}
static void syncwarp_missing() {
    exchange_in_warp<<<1, 32>>>(device_zeros<int>(32), device_iota<int>(32));
}

// A shuffle exchanges registers, but does not order accesses to memory.
__global__ void shuffle_for_barrier(int* out, const int* in) {
    __shared__ int values[32];
    values[threadIdx.x] = in[threadIdx.x];  // other shuffle_is_no_barrier
    const int sum = __shfl_xor_sync(0xffffffff, in[threadIdx.x], 1);
    out[threadIdx.x] = sum + values[threadIdx.x ^ 2];  // bug shuffle_is_no_barrier: racecheck: read after write
}
static void shuffle_is_no_barrier() {
    shuffle_for_barrier<<<1, 32>>>(device_zeros<int>(32), device_iota<int>(32));
}

// The barrier includes two warps, but a third warp also reads the data.
__global__ void barrier_for_two(int* out, const int* in) {
    __shared__ int values[64];
    const int t = threadIdx.x;
    if (t < 64) {
        values[t] = in[t];  // other warp_outside_barrier
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    out[t] = values[(t + 8) % 64];  // bug warp_outside_barrier: racecheck: read after write
}
static void warp_outside_barrier() {
    barrier_for_two<<<1, 96>>>(device_zeros<int>(96), device_iota<int>(64));
}

// A volatile flag does not order accesses to the data.
__global__ void flag_alone(int* out, const int* in) {
    __shared__ int value;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = in[0];  // other shared_flag_without_fence
        ready = 1;
    }
    if (threadIdx.x == 32) {
        while (ready == 0) {
        }
        *out = value;  // bug shared_flag_without_fence: racecheck: read after write
    }
}
static void shared_flag_without_fence() {
    flag_alone<<<1, 64>>>(device_zeros<int>(1), device_iota<int>(1));
}

// Not a function, because nvcc's binaries do not record which instructions belong to an asm
// statement, so nvcc and clang would report different lines (ptx/inlining.h).
#define copy_async(to, from)                                                       \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(                \
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),         \
                 "l"(from)                                                         \
                 : "memory")

// A barrier does not wait for a copy in flight.
__global__ void copy_and_read(int* out, const int* in) {
    __shared__ __align__(16) int tile[128];
    copy_async(&tile[4 * threadIdx.x], in + 4 * threadIdx.x);  // other copy_not_waited_for
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];  // bug copy_not_waited_for: racecheck: read after write
}
static void copy_not_waited_for() {
    copy_and_read<<<1, 32>>>(device_zeros<int>(32), device_iota<int>(128));
}

// A thread waits only for its own copies, so others must not read the data without a barrier.
__global__ void copy_without_barrier(int* out, const int* in) {
    __shared__ __align__(16) int tile[256];
    copy_async(&tile[4 * threadIdx.x], in + 4 * threadIdx.x);  // other copy_without_barrier
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[threadIdx.x] = tile[255 - threadIdx.x];  // bug copy_without_barrier: racecheck: read after write
}
static void copy_without_barrier_case() {
    copy_without_barrier<<<1, 64>>>(device_zeros<int>(64), device_iota<int>(256));
}

__global__ void broadcast_twice(int* out, const int* in) {
    __shared__ int value;
    if (threadIdx.x == 0) value = in[0];
    __syncthreads();
    const int first = value;              // other broadcast_overwritten
    if (threadIdx.x == 0) value = in[1];  // bug broadcast_overwritten: racecheck: write after read
    __syncthreads();
    out[threadIdx.x] = first + value;
}
static void broadcast_overwritten() {
    broadcast_twice<<<1, 64>>>(device_zeros<int>(64), device_iota<int>(2));
}

// One thread writes a whole word, and another thread writes one of the word's bytes.
__global__ void byte_in_word(int* out) {
    __shared__ __align__(4) unsigned char bytes[64];
    if (threadIdx.x == 0) *reinterpret_cast<unsigned*>(bytes) = 0x01020304;  // other byte_of_a_word
    if (threadIdx.x == 32) bytes[3] = 9;                                     // bug byte_of_a_word: racecheck: write after write
    __syncthreads();
    if (threadIdx.x == 0) *out = *reinterpret_cast<int*>(bytes);
}
static void byte_of_a_word() {
    byte_in_word<<<1, 64>>>(device_zeros<int>(1));
}

// A tiled matrix product that lacks one of its two barriers. Some rows are read by the warp that
// wrote them, so lanes race as well. The other rows reveal which barrier is missing.
template <int kTile>
__global__ void gemm(float* c, const float* a, const float* b, int n, bool first, bool second) {
    __shared__ float as[kTile][kTile], bs[kTile][kTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
    float sum = 0;
    for (int k = 0; k < n; k += kTile) {
        as[y][x] = a[row * n + k + x];    // bug gemm_16_second: racecheck: write after read // bug gemm_32_second: racecheck: write after read // other gemm_16_first // other gemm_32_first
        bs[y][x] = b[(k + y) * n + col];  // bug gemm_16_second: racecheck: write after read // bug gemm_32_second: racecheck: write after read // other gemm_16_first // other gemm_32_first
        if (first) __syncthreads();
        for (int i = 0; i < kTile; ++i) {
            const float left = as[y][i];   // bug gemm_16_first: racecheck: read after write // bug gemm_32_first: racecheck: read after write // other gemm_16_second // other gemm_32_second
            const float right = bs[i][x];  // bug gemm_16_first: racecheck: read after write // bug gemm_32_first: racecheck: read after write // other gemm_16_second // other gemm_32_second
            sum += left * right;
        }
        if (second) __syncthreads();
    }
    c[row * n + col] = sum;
}
template <int kTile, bool kFirst, bool kSecond>
static void gemm_without() {
    gemm<kTile><<<dim3(64 / kTile, 64 / kTile), dim3(kTile, kTile)>>>(
        device_zeros<float>(64 * 64), device_iota<float>(64 * 64), device_iota<float>(64 * 64), 64,
        kFirst, kSecond);
}

// In block 0, all threads store the same value, which is harmless. In other blocks, they do not.
// simulate lanes_equal_in_first_block: --threads 1
// simulate warps_equal_in_first_block: --threads 1
__global__ void lanes_store(int* out) {
    __shared__ int sums[2];
    sums[threadIdx.x / 32] = blockIdx.x * threadIdx.x;  // bug lanes_equal_in_first_block: racecheck: write after write // other lanes_equal_in_first_block
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = sums[threadIdx.x / 32];
}
static void lanes_equal_in_first_block() {
    lanes_store<<<16, 64>>>(device_zeros<int>(16 * 64));
}
__global__ void warps_store(int* out) {
    __shared__ int sums[32];
    sums[threadIdx.x % 32] = blockIdx.x * (threadIdx.x / 32);  // bug warps_equal_in_first_block: racecheck: write after write // other warps_equal_in_first_block
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = sums[threadIdx.x % 32];
}
static void warps_equal_in_first_block() {
    warps_store<<<16, 64>>>(device_zeros<int>(16 * 64));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"no_barrier_after_store", no_barrier_after_store},
                        {"no_barrier_before_reuse", no_barrier_before_reuse},
                        {"reduction_without_syncwarp", reduction_without_syncwarp},
                        {"no_barrier_after_loop", no_barrier_after_loop},
                        {"lanes_share_element", lanes_share_element},
                        {"warps_share_element", warps_share_element},
                        {"double_buffer_not_swapped", double_buffer_not_swapped},
                        {"histogram_without_atomics", histogram_without_atomics},
                        {"syncwarp_missing", syncwarp_missing},
                        {"shuffle_is_no_barrier", shuffle_is_no_barrier},
                        {"warp_outside_barrier", warp_outside_barrier},
                        {"shared_flag_without_fence", shared_flag_without_fence},
                        {"copy_not_waited_for", copy_not_waited_for},
                        {"copy_without_barrier", copy_without_barrier_case},
                        {"broadcast_overwritten", broadcast_overwritten},
                        {"byte_of_a_word", byte_of_a_word},
                        {"gemm_16_first", gemm_without<16, false, true>},
                        {"gemm_16_second", gemm_without<16, true, false>},
                        {"gemm_32_first", gemm_without<32, false, true>},
                        {"gemm_32_second", gemm_without<32, true, false>},
                        {"lanes_equal_in_first_block", lanes_equal_in_first_block},
                        {"warps_equal_in_first_block", warps_equal_in_first_block},
                    });
}
