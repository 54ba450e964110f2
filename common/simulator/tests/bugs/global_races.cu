// Races in global memory. Blocks run in any order, so accesses to the same address must be ordered.
#include "../cases.h"

__global__ void count(int* bins, const int* values) {
    bins[values[blockIdx.x * blockDim.x + threadIdx.x] % 32]++;  // bug global_histogram: globalrace: read after write // other global_histogram
}
static void global_histogram() {
    count<<<4, 32>>>(device_zeros<int>(32), device_iota<int>(128));
}

// Shifts in place: each block reads the first element of the next block, which may have changed.
__global__ void shift_left(int* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int next = i + 1 < n ? x[i + 1] : 0;  // other neighbour_block
    __syncthreads();
    x[i] = next + 1;  // bug neighbour_block: globalrace: write after read
}
static void neighbour_block() {
    shift_left<<<4, 128>>>(device_iota<int>(512), 512);
}

__global__ void transpose_in_place(int* x, int n) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    x[col * n + row] = x[row * n + col];  // bug in_place_transpose: globalrace: read after write // other in_place_transpose
}
static void in_place_transpose() {
    transpose_in_place<<<dim3(2, 2), dim3(32, 32)>>>(device_iota<int>(4096), 64);
}

// Smooths in place: block b reads an element that block b - 1 has already overwritten.
__global__ void smooth_from_left(float* x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float left = i > 0 ? x[i - 1] : 0;  // bug stencil_in_place: globalrace: read after write
    __syncthreads();
    x[i] = left / 2 + 1;  // other stencil_in_place
}
static void stencil_in_place() {
    smooth_from_left<<<4, 64>>>(device_iota<float>(256));
}

// The consumer sees the flag, but no fence guarantees that it also sees the data.
__global__ void produce_consume(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;  // other flag_without_fence
        __syncthreads();
        if (threadIdx.x == 0) *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {
            }
        }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];  // bug flag_without_fence: globalrace: read after write
    }
}
static void flag_without_fence() {
    produce_consume<<<2, 64>>>(device_zeros<int>(64), device_zeros<int>(1), device_zeros<int>(64));
}

// The fence and the flag are correct, but thread 0 sets the flag before other threads have stored.
__global__ void produce_too_early(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;  // other flag_without_barrier
        if (threadIdx.x == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {
            }
        }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];  // bug flag_without_barrier: globalrace: read after write
    }
}
static void flag_without_barrier() {
    produce_too_early<<<2, 64>>>(device_zeros<int>(64), device_zeros<int>(1),
                                 device_zeros<int>(64));
}

// The fence is before the stores of the data instead of after them.
__global__ void fence_first(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        __threadfence();
        data[0] = 1;  // other fence_before_data
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        *out = data[0];  // bug fence_before_data: globalrace: read after write
    }
}
static void fence_before_data() {
    fence_first<<<2, 1>>>(device_zeros<int>(1), device_zeros<int>(1), device_zeros<int>(1));
}

// The last block adds up the partial sums, but no fence orders the stores of these sums.
__global__ void sum_by_last_block(int* partial, unsigned* finished, int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;  // other last_block_without_fence
        is_last = atomicInc(finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];  // bug last_block_without_fence: globalrace: read after write
        *out = sum;
    }
}
static void last_block_without_fence() {
    sum_by_last_block<<<8, 32>>>(device_zeros<int>(8), device_zeros<unsigned>(1),
                                 device_zeros<int>(1));
}

// The threads of a block exchange data through global memory without a barrier.
__global__ void reverse_in_global(int* scratch, int* out) {
    scratch[threadIdx.x] = threadIdx.x + 1;                    // other missing_syncthreads
    out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];  // bug missing_syncthreads: globalrace: read after write
}
static void missing_syncthreads() {
    reverse_in_global<<<1, 128>>>(device_zeros<int>(128), device_zeros<int>(128));
}

// An atomic access does not prevent a race with a plain access.
__global__ void add_and_look(int* total, int* out) {
    if (blockIdx.x == 0)
        atomicAdd(total, 1);  // other atomic_against_plain
    else
        *out = *total;  // bug atomic_against_plain: globalrace: read after write
}
static void atomic_against_plain() {
    add_and_look<<<2, 1>>>(device_zeros<int>(1), device_zeros<int>(1));
}

__global__ void leave_result(int* out) {
    if (threadIdx.x == 0) *out = blockIdx.x + 1;  // bug every_block_stores: globalrace: write after write // other every_block_stores
}
static void every_block_stores() {
    leave_result<<<4, 32>>>(device_zeros<int>(1));
}

// Each block stores 256 elements, but its tile starts 255 elements after the previous tile.
__global__ void overlapping_tiles(int* out) {
    const int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
    out[i] = blockIdx.x + 1;  // bug overlapping_blocks: globalrace: write after write // other overlapping_blocks
}
static void overlapping_blocks() {
    overlapping_tiles<<<4, 256>>>(device_zeros<int>(1024));
}

// Eight threads set bits of the same byte, and each store overwrites the bits of the others.
__global__ void set_bits(unsigned char* flags) {
    flags[threadIdx.x / 8] |= 1 << (threadIdx.x % 8);  // bug bits_of_a_byte: globalrace: write after write // other bits_of_a_byte
}
static void bits_of_a_byte() {
    set_bits<<<1, 32>>>(device_zeros<unsigned char>(4));
}

// Each block writes a byte of the same word, but blocks 2 and 3 write the same byte.
__global__ void one_byte_each(unsigned char* bytes) {
    const int at = blockIdx.x == 3 ? 2 : blockIdx.x;
    bytes[at] = blockIdx.x + 1;  // bug same_byte: globalrace: write after write // other same_byte
}
static void same_byte() {
    one_byte_each<<<4, 1>>>(device_zeros<unsigned char>(4));
}

// Releases a lock without executing a fence before the release.
__global__ void add_under_lock(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *total += blockIdx.x;  // bug lock_without_fence: globalrace: read after write // other lock_without_fence
    atomicExch(lock, 0);
}
static void lock_without_fence() {
    add_under_lock<<<4, 1>>>(device_zeros<int>(1), device_zeros<int>(1));
}

// Every block clears the counter, although another block may already have incremented it.
__global__ void clear_late(int* counter) {
    if (threadIdx.x == 0) *counter = 0;  // bug cleared_by_every_block: globalrace: write after write
    __syncthreads();
    atomicAdd(counter, 1);  // other cleared_by_every_block
}
static void cleared_by_every_block() {
    clear_late<<<2, 32>>>(device_iota<int>(2) + 1);
}

// Adding `distance` to `here` yields a pointer to another allocation, so the code does not show
// which array the kernel writes. A second launch exposes the race: see command_test.cpp.
__global__ void store_beside(int* here, const int* there, long long distance, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int next = there[(i + 32) % n];
    here[i + distance] = next + 1;  // bug hidden_store: globalrace: not checked // bug hidden_store: memcheck: out of bounds
}
static void hidden_store(int launches) {
    int *here = device_zeros<int>(128), *there = device_iota<int>(128);
    for (int k = 0; k < launches; ++k) store_beside<<<4, 32>>>(here, there, there - here, 128);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"global_histogram", global_histogram},
                        {"neighbour_block", neighbour_block},
                        {"in_place_transpose", in_place_transpose},
                        {"stencil_in_place", stencil_in_place},
                        {"flag_without_fence", flag_without_fence},
                        {"flag_without_barrier", flag_without_barrier},
                        {"fence_before_data", fence_before_data},
                        {"last_block_without_fence", last_block_without_fence},
                        {"missing_syncthreads", missing_syncthreads},
                        {"atomic_against_plain", atomic_against_plain},
                        {"every_block_stores", every_block_stores},
                        {"overlapping_blocks", overlapping_blocks},
                        {"bits_of_a_byte", bits_of_a_byte},
                        {"same_byte", same_byte},
                        {"lock_without_fence", lock_without_fence},
                        {"cleared_by_every_block", cleared_by_every_block},
                        {"hidden_store", [] { hidden_store(1); }},
                        {"hidden_store_again", [] { hidden_store(2); }},
                    });
}
