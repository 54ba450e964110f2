// How many clusters of each size run at once. Another H200 may have other multiprocessors, and answer
// otherwise for more than 2 blocks; these are the answers of one.
// simulator only
// expect: 1024 threads: 264 132 79 62 47 39 32 30 21 16 14
// expect: 512 threads: 528 264 163 124 94 79 69 62 44 37 28
// expect: 256 threads: 1056 528 327 248 193 163 139 124 88 74 58
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
        need(
            cudaOccupancyMaxActiveClusters(&count, reinterpret_cast<const void*>(kernel), &config));
        std::printf(" %d", count);
    }
    std::printf("\n");
}

int main() {
    constexpr int kMostShared = 232448;
    need(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kMostShared));
    need(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    tell("1024 threads", 1024, 0);
    tell("512 threads", 512, 0);
    tell("256 threads", 256, 0);
    tell("all of shared memory", 256, kMostShared);
}
