// Tests the special registers that describe a thread and the hardware.
// expect: thread and block indices: ok
// expect: lane and warp: ok
// expect: lane masks: ok
// expect: shared memory: ok
// expect: cluster of one block: ok
// expect: multiprocessor: ok
// expect: grid number grows: ok
#include "check.h"

#define SPECIAL_32(name)                                       \
    [] {                                                       \
        unsigned value;                                        \
        asm volatile("mov.u32 %0, %%" name ";" : "=r"(value)); \
        return value;                                          \
    }()

constexpr dim3 kGrid(3, 2, 2), kBlock(5, 4, 3);
constexpr int kBlocks = 12, kThreads = 60;

__global__ void indices(unsigned* out) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned* mine = out + (block * kThreads + thread) * 4;
    mine[0] = threadIdx.x * 100 + threadIdx.y * 10 + threadIdx.z;
    mine[1] = blockIdx.x * 100 + blockIdx.y * 10 + blockIdx.z;
    mine[2] = blockDim.x * 100 + blockDim.y * 10 + blockDim.z;
    mine[3] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
}

__global__ void lanes(unsigned* out) {
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[thread * 2] = SPECIAL_32("laneid");
    // In theory, %warpid could change while a thread runs, but on hardware it never does.
    out[thread * 2 + 1] =
        __shfl_sync(__activemask(), SPECIAL_32("warpid"), 0) == SPECIAL_32("warpid");
}

__global__ void masks(unsigned* out) {
    unsigned* mine = out + threadIdx.x * 5;
    mine[0] = SPECIAL_32("lanemask_eq");
    mine[1] = SPECIAL_32("lanemask_lt");
    mine[2] = SPECIAL_32("lanemask_le");
    mine[3] = SPECIAL_32("lanemask_gt");
    mine[4] = SPECIAL_32("lanemask_ge");
}

__global__ void shared_size(unsigned* out) {
    extern __shared__ int memory[];
    memory[threadIdx.x] = 0;
    out[0] = SPECIAL_32("dynamic_smem_size");
    out[1] = SPECIAL_32("total_smem_size");
    out[2] = SPECIAL_32("aggr_smem_size");
    // The address is device-specific, but the size must be that of an H200.
    const unsigned begin = SPECIAL_32("reserved_smem_offset_begin");
    out[3] = SPECIAL_32("reserved_smem_offset_end") - begin;
    out[4] = SPECIAL_32("reserved_smem_offset_cap");
    out[5] = SPECIAL_32("reserved_smem_offset_1") - begin;
}

/// Reads the only special register that is a predicate. This must be a separate function.
__noinline__ __device__ unsigned is_explicit_cluster() {
    unsigned value;
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
                 : "=r"(value));
    return value;
}

__global__ void cluster(unsigned* out) {
    out[5] = is_explicit_cluster();
    out[0] = SPECIAL_32("cluster_ctarank");
    out[1] = SPECIAL_32("cluster_nctarank");
    out[2] = SPECIAL_32("cluster_nctaid.x");
    out[3] = SPECIAL_32("nclusterid.x");
    if (blockIdx.x == 2) out[4] = SPECIAL_32("clusterid.x");
}

__global__ void multiprocessor(unsigned* out) {
    out[0] = SPECIAL_32("smid") < SPECIAL_32("nsmid");
}

__global__ void grid_number(unsigned long long* out) {
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(*out));
}

int main() {
    DeviceArray<unsigned> index_values(kBlocks * kThreads * 4);
    indices<<<kGrid, kBlock>>>(index_values);
    expect_equal("thread and block indices", index_values.read(),
                 for_threads<unsigned>(kBlocks * kThreads * 4, [](int i) -> unsigned {
                     const int thread = i / 4 % kThreads, block = i / 4 / kThreads;
                     switch (i % 4) {
                         case 0: return thread % 5 * 100 + thread / 5 % 4 * 10 + thread / 20;
                         case 1: return block % 3 * 100 + block / 3 % 2 * 10 + block / 6;
                         case 2: return 543;
                         default: return 322;
                     }
                 }));

    DeviceArray<unsigned> lane_values(kThreads * 2);
    lanes<<<1, kBlock>>>(lane_values);
    expect_equal(
        "lane and warp", lane_values.read(),
        for_threads<unsigned>(kThreads * 2, [](int i) { return i % 2 ? 1u : i / 2 % 32u; }));

    DeviceArray<unsigned> mask_values(64 * 5);
    masks<<<1, 64>>>(mask_values);
    expect_equal("lane masks", mask_values.read(), for_threads<unsigned>(64 * 5, [](int i) {
                     const unsigned long long lane = 1ull << i / 5 % 32;
                     const unsigned long long answers[] = {lane, lane - 1, 2 * lane - 1,
                                                           ~(2 * lane - 1), ~(lane - 1)};
                     return static_cast<unsigned>(answers[i % 5]);
                 }));

    DeviceArray<unsigned> sizes(6);
    shared_size<<<1, 32, 1000>>>(sizes);
    expect_equal<unsigned>("shared memory", sizes.read(), {1000, 1024, 2024, 288, 1024, 0});

    DeviceArray<unsigned> cluster_values(6);
    cluster<<<3, 1>>>(cluster_values);
    expect_equal<unsigned>("cluster of one block", cluster_values.read(), {0, 1, 1, 3, 2, 0});

    DeviceArray<unsigned> below(1);
    multiprocessor<<<1, 1>>>(below);
    expect_equal<unsigned>("multiprocessor", below.read(), {1});

    DeviceArray<unsigned long long> first(1), second(1);
    grid_number<<<1, 1>>>(first);
    grid_number<<<1, 1>>>(second);
    expect_equal<bool>("grid number grows", {first.read()[0] < second.read()[0]}, {true});
}
