// Synchronization that excludes some threads: masks that omit lanes, block scope between different
// blocks, and the read-only path for memory that the kernel writes.
#include "../cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// ---- lanes ----

// Each half of the warp has its own barrier, but reads data of the other half.
__global__ void tile_meets(int* out) {
    __shared__ int values[32];
    const auto half = cg::tiled_partition<16>(cg::this_thread_block());
    values[threadIdx.x] = threadIdx.x;  // other tile_of_half_a_warp
    half.sync();
    out[threadIdx.x] = values[31 - threadIdx.x];  // bug tile_of_half_a_warp: racecheck: read after write
}
static void tile_of_half_a_warp() {
    tile_meets<<<1, 32>>>(device_zeros<int>(32));
}

__global__ void halves_meet(int* out) {
    __shared__ int values[32];
    values[threadIdx.x] = threadIdx.x;  // other mask_leaves_lanes_out
    if (threadIdx.x < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    out[threadIdx.x] = values[(threadIdx.x + 16) % 32];  // bug mask_leaves_lanes_out: racecheck: read after write
}
static void mask_leaves_lanes_out() {
    halves_meet<<<1, 32>>>(device_zeros<int>(32));
}

// Lanes 0 and 1 synchronize, and so do lanes 2 and 3, but lane 0 reads data of lane 3.
__global__ void pairs_meet(int* out) {
    __shared__ int values[32];
    values[threadIdx.x] = threadIdx.x;  // other pairs_that_never_met
    __syncwarp(3u << (threadIdx.x & ~1));
    out[threadIdx.x] = values[threadIdx.x ^ 3];  // bug pairs_that_never_met: racecheck: read after write
}
static void pairs_that_never_met() {
    pairs_meet<<<1, 32>>>(device_zeros<int>(32));
}

// ---- blocks ----

__global__ void counts_in_block(int* counter) {
    atomicAdd_block(counter, 1);  // bug atomic_of_a_block: globalrace: write after write // other atomic_of_a_block
}
static void atomic_of_a_block() {
    counts_in_block<<<8, 64>>>(device_zeros<int>(1));
}

__global__ void publishes_in_block(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;  // other fence_of_a_block
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        *out = *data;  // bug fence_of_a_block: globalrace: read after write
    }
}
static void fence_of_a_block() {
    publishes_in_block<<<2, 1>>>(device_zeros<int>(1), device_zeros<int>(1), device_zeros<int>(1));
}

// ---- the read-only path ----

__global__ void reads_what_it_wrote(int* data, int n) {
    const int t = threadIdx.x;
    data[t] = t;  // other read_only_path
    __syncthreads();
    data[n + t] = __ldg(&data[(t + 1) % n]);  // bug read_only_path: globalrace: read after write
}
static void read_only_path() {
    reads_what_it_wrote<<<1, 256>>>(device_zeros<int>(512), 256);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"tile_of_half_a_warp", tile_of_half_a_warp},
                        {"mask_leaves_lanes_out", mask_leaves_lanes_out},
                        {"pairs_that_never_met", pairs_that_never_met},
                        {"atomic_of_a_block", atomic_of_a_block},
                        {"fence_of_a_block", fence_of_a_block},
                        {"read_only_path", read_only_path},
                    });
}
