// Tests clusters in the driver API: launch attributes, occupancy and shared memory.
// nvcc: -lcuda
// expect: cluster size from the launch: 101 100 103 102
// expect: 3 blocks in clusters of 2: CUDA_ERROR_INVALID_CLUSTER_SIZE
// expect: largest cluster size: 8
// expect: resident clusters of 2 blocks of 1024 threads: 132
// expect: cluster size from the function: 103 102 101 100
// expect-stderr: apicheck
#include "driver_check.h"

/// PTX of a kernel in which each block reads a value from the block with rank n - 1 - rank.
static const char* const kSwap = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry swap(.param .u64 out)
{
    .reg .b64 %rd<5>;
    .reg .b32 %r<10>;
    .shared .align 4 .u32 value;
    mov.u32 %r1, %ctaid.x;
    add.u32 %r2, %r1, 100;
    mov.u32 %r3, value;
    st.shared.u32 [%r3], %r2;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r4, %cluster_ctarank;
    mov.u32 %r5, %cluster_nctarank;
    sub.u32 %r6, %r5, %r4;
    add.u32 %r7, %r6, -1;
    mapa.shared::cluster.u32 %r8, %r3, %r7;
    ld.shared::cluster.u32 %r9, [%r8];
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r9;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)";

static CUlaunchConfig config_of(unsigned blocks, CUlaunchAttribute* attribute, unsigned size) {
    attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute->value.clusterDim.x = size;
    attribute->value.clusterDim.y = attribute->value.clusterDim.z = 1;
    CUlaunchConfig config = {};
    config.gridDimX = blocks;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.attrs = attribute;
    config.numAttrs = size ? 1 : 0;
    return config;
}

static void print_four(const char* what, CUdeviceptr out) {
    int host[4];
    need(cuMemcpyDtoH(host, out, sizeof host));
    std::printf("%s: %d %d %d %d\n", what, host[0], host[1], host[2], host[3]);
}

int main() {
    use_first_device();
    CUmodule module;
    CUfunction swap;
    CUdeviceptr out;
    need(cuModuleLoadData(&module, kSwap));
    need(cuModuleGetFunction(&swap, module, "swap"));
    need(cuMemAlloc(&out, 16));
    void* arguments[] = {&out};
    CUlaunchAttribute attribute = {};
    CUlaunchConfig config = config_of(4, &attribute, 2);
    need(cuLaunchKernelEx(&config, swap, arguments, nullptr));
    print_four("cluster size from the launch", out);
    config = config_of(3, &attribute, 2);
    result("3 blocks in clusters of 2", cuLaunchKernelEx(&config, swap, arguments, nullptr));
    int size = 0, clusters = 0;
    config = config_of(8, &attribute, 0);
    need(cuOccupancyMaxPotentialClusterSize(&size, swap, &config));
    std::printf("largest cluster size: %d\n", size);
    config = config_of(8, &attribute, 2);
    config.blockDimX = 1024;
    need(cuOccupancyMaxActiveClusters(&clusters, swap, &config));
    std::printf("resident clusters of 2 blocks of 1024 threads: %d\n", clusters);
    need(cuFuncSetAttribute(swap, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4));
    need(cuFuncSetAttribute(swap, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1));
    need(cuFuncSetAttribute(swap, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1));
    need(cuLaunchKernel(swap, 4, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    print_four("cluster size from the function", out);
}
