// The correct counterparts of ../bugs/scopes.cu: masks and scopes that include exactly the threads
// that exchange data.
// not built by clang: cooperative_groups is part of the toolkit
#include "../cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// clean tile_of_half_a_warp
__global__ void tile_meets(int* out) {
    __shared__ int values[64];
    const auto half = cg::tiled_partition<16>(cg::this_thread_block());
    for (int round = 0; round < 3; ++round) {
        values[threadIdx.x] = threadIdx.x + round;
        half.sync();
        out[threadIdx.x] = values[threadIdx.x ^ 15];
        half.sync();
    }
}
static void tile_of_half_a_warp() {
    int* out = device_zeros<int>(64);
    tile_meets<<<1, 64>>>(out);
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(host[i] == (i ^ 15) + 2, "value of the same half");
}

// Barriers order pairs of lanes, then larger groups of lanes, and finally the whole warp.
// clean meetings_of_pairs
__global__ void tree_meets(int* out) {
    __shared__ int values[32];
    const int t = threadIdx.x;
    values[t] = t;
    for (int size = 2; size <= 32; size *= 2) {
        const unsigned lanes = size == 32 ? ~0u : (1u << size) - 1;
        __syncwarp(lanes << (t & ~(size - 1)));
    }
    out[t] = values[31 - t];
}
static void meetings_of_pairs() {
    int* out = device_zeros<int>(32);
    tree_meets<<<1, 32>>>(out);
    expect(to_host(out, 32)[0] == 31, "value of the last lane");
}

// The half-warp barrier is enough, because a block barrier has ordered all earlier accesses.
// clean half_after_whole
__global__ void half_after_block(int* out) {
    __shared__ int values[64];
    const int t = threadIdx.x;
    values[t] = t;
    __syncthreads();
    if (t < 16) {
        const int sum = values[t] + values[63 - t];
        __syncwarp(0xffff);
        values[t] = sum;
    }
    __syncwarp();
    if (t < 32) out[t] = values[t ^ 16];
}
static void half_after_whole() {
    int* out = device_zeros<int>(32);
    half_after_block<<<1, 64>>>(out);
    expect(to_host(out, 32)[16] == 63, "sum");
}

// Most lanes have exited, so a mask of the remaining lanes is complete.
// clean mask_of_the_living
__global__ void some_have_ended(int* out) {
    __shared__ int values[32];
    if (threadIdx.x >= 8) return;
    values[threadIdx.x] = threadIdx.x;
    __syncwarp(0xff);
    out[threadIdx.x] = values[threadIdx.x ^ 7];
}
static void mask_of_the_living() {
    int* out = device_zeros<int>(8);
    some_have_ended<<<1, 32>>>(out);
    expect(to_host(out, 8)[0] == 7, "value");
}

// On a tile of several warps, any() and all() use shared memory that CUDA reserves.
// clean votes_of_a_large_tile
__global__ void votes(int* out) {
    __shared__ cg::block_tile_memory<256> memory;
    const auto block = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<128>(block);
    const int any = tile.any(threadIdx.x == 3), all = tile.all(threadIdx.x < 300);
    out[threadIdx.x] = any + 2 * all;
}
static void votes_of_a_large_tile() {
    int* out = device_zeros<int>(256);
    votes<<<1, 256>>>(out);
    const auto host = to_host(out, 256);
    expect(host[0] == 3 && host[255] == 2, "votes");
}

// clean counter_of_each_block
__global__ void counts_in_block(int* counters) {
    atomicAdd_block(&counters[blockIdx.x], 1);
}
static void counter_of_each_block() {
    int* counters = device_zeros<int>(8);
    counts_in_block<<<8, 64>>>(counters);
    expect(to_host(counters, 8)[7] == 64, "count");
}

// Block-scope fences and atomics are enough, because no other block reads the data.
// clean fence_within_a_block
__global__ void publishes_in_block(int* data, int* flag, int* out) {
    if (threadIdx.x == 0) {
        data[blockIdx.x] = 42;
        __threadfence_block();
        atomicExch_block(&flag[blockIdx.x], 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd_block(&flag[blockIdx.x], 0) == 0) {
        }
        __threadfence_block();
        out[blockIdx.x] = data[blockIdx.x];
    }
}
static void fence_within_a_block() {
    int* out = device_zeros<int>(4);
    publishes_in_block<<<4, 64>>>(device_zeros<int>(4), device_zeros<int>(4), out);
    expect(to_host(out, 4)[3] == 42, "data");
}

// clean fence_of_the_device
__global__ void publishes(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        *out = *data;
    }
}
static void fence_of_the_device() {
    int* out = device_zeros<int>(1);
    publishes<<<2, 1>>>(device_zeros<int>(1), device_zeros<int>(1), out);
    expect(to_host(out, 1)[0] == 42, "data");
}

// Loads through the read-only path return values that an earlier launch has stored.
// clean read_only_in_the_next_launch
__global__ void writes(int* data) {
    data[threadIdx.x] = threadIdx.x;
}
__global__ void reads(int* out, const int* data, int n) {
    out[threadIdx.x] = __ldg(&data[(threadIdx.x + 1) % n]);
}
static void read_only_in_the_next_launch() {
    int *data = device_zeros<int>(512), *out = data + 256;
    writes<<<1, 256>>>(data);
    reads<<<1, 256>>>(out, data, 256);  // other bytes of the same allocation
    expect(to_host(out, 256)[255] == 0, "first element");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"tile_of_half_a_warp", tile_of_half_a_warp},
                        {"meetings_of_pairs", meetings_of_pairs},
                        {"half_after_whole", half_after_whole},
                        {"mask_of_the_living", mask_of_the_living},
                        {"votes_of_a_large_tile", votes_of_a_large_tile},
                        {"counter_of_each_block", counter_of_each_block},
                        {"fence_within_a_block", fence_within_a_block},
                        {"fence_of_the_device", fence_of_the_device},
                        {"read_only_in_the_next_launch", read_only_in_the_next_launch},
                    });
}
