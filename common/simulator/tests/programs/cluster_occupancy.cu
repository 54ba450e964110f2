// Tests how many clusters of each size can be resident, and the largest size. (Measured twice. For
// more than 2 blocks, an H200 with other disabled multiprocessors may differ.)
// simulator only
// expect: portable: 264 132 79 62 47 39 32 30 - - -
// expect: largest, portable: 8 8 8 8
// expect: largest, others allowed: 16 16 16 16
// expect: 1024 threads: 264 132 79 62 47 39 32 30 21 16 14
// expect: 512 threads: 528 264 163 124 94 79 69 62 44 37 28
// expect: 256 threads: 1056 528 327 248 193 163 139 124 88 74 58
// expect: 32 threads: 1056 528 327 248 193 163 139 124 88 74 58
// expect: 16000 bytes: 1056 528 327 248 193 163 139 124 88 74 58
// expect: 50000 bytes: 528 264 163 124 94 79 69 62 44 37 28
// expect: 100000 bytes: 264 132 79 62 47 39 32 30 21 16 14
// expect: all of shared memory: 132 66 39 30 22 17 15 15 7 7 7
#include <initializer_list>

#include "api_check.h"

__global__ void kernel(int* out) {
    extern __shared__ int shared[];
    if (out) *out = shared[threadIdx.x];
}

void tell(const char* what, int threads, std::size_t shared) {
    std::printf("%s:", what);
    for (int size : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16}) {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = size;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = 1680 * 11;
        config.blockDim = threads;
        config.dynamicSmemBytes = shared;
        config.attrs = &attribute;
        config.numAttrs = 1;
        int count = -1;
        const cudaError_t error =
            cudaOccupancyMaxActiveClusters(&count, reinterpret_cast<const void*>(kernel), &config);
        if (error == cudaErrorInvalidClusterSize)
            std::printf(" -");
        else
            need(error), std::printf(" %d", count);
    }
    cudaGetLastError();
    std::printf("\n");
}

void tell_largest(const char* what) {
    std::printf("%s:", what);
    for (int threads : {32, 1024}) {
        for (std::size_t shared : {std::size_t{0}, std::size_t{232448}}) {
            cudaLaunchConfig_t config{};
            config.gridDim = 6;
            config.blockDim = threads;
            config.dynamicSmemBytes = shared;
            int size = -1;
            need(cudaOccupancyMaxPotentialClusterSize(&size, reinterpret_cast<const void*>(kernel),
                                                      &config));
            std::printf(" %d", size);
        }
    }
    std::printf("\n");
}

int main() {
    constexpr int kMostShared = 232448;
    need(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kMostShared));
    tell("portable", 1024, 0);
    tell_largest("largest, portable");
    need(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    tell_largest("largest, others allowed");
    tell("1024 threads", 1024, 0);
    tell("512 threads", 512, 0);
    tell("256 threads", 256, 0);
    tell("32 threads", 32, 0);
    tell("16000 bytes", 128, 16000);
    tell("50000 bytes", 256, 50000);
    tell("100000 bytes", 256, 100000);
    tell("all of shared memory", 256, kMostShared);
}
