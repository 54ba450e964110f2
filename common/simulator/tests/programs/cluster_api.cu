// not built by clang: clang drops __cluster_dims__
// Tests cluster launches that the runtime rejects, and queries about clusters.
// expect: 2 in a grid of 4: cudaSuccess
// expect: 2 in a grid of 5: cudaErrorInvalidClusterSize
// expect: 3 in a grid of 6: cudaSuccess
// expect: 8: cudaSuccess
// expect: 9: cudaErrorInvalidClusterSize
// expect: 16: cudaErrorInvalidClusterSize
// expect: all extents 0: cudaSuccess
// expect: two extents 0: cudaErrorInvalidClusterSize
// expect: a fixed cluster, not named: cudaSuccess
// expect: a fixed cluster, named: cudaSuccess
// expect: a fixed cluster, another one named: cudaErrorInvalidClusterSize
// expect: a fixed cluster, one block named: cudaErrorInvalidClusterSize
// expect: a fixed cluster of 2 in a grid of 3: cudaErrorInvalidClusterSize
// expect: 16, allowed: cudaSuccess
// expect: 12, allowed: cudaSuccess
// expect: 17, allowed: cudaErrorInvalidClusterSize
// expect: width of a fixed cluster: cudaErrorInvalidValue
// expect: width: cudaSuccess
// expect: a launch with the width alone: cudaErrorInvalidClusterSize
// expect: height: cudaSuccess
// expect: depth: cudaSuccess
// expect: a launch with all three: cudaSuccess
// expect: another cluster over it: cudaErrorInvalidClusterSize
// expect: the same cluster over it: cudaSuccess
// expect: attributes of a fixed cluster: 1, 2 x 1 x 1
// expect: attributes of a cluster that was set: 0, 2 x 1 x 1
// expect: largest cluster: 8
// expect: largest cluster, allowed to be larger: 16
// expect: active clusters of 9: cudaErrorInvalidClusterSize
// expect: active clusters of 1 and of 2: 264 132
// expect-stderr: apicheck
#include "api_check.h"

__global__ void __cluster_dims__(2, 1, 1) fixed(int* out) {
    if (out) *out = 1;
}
__global__ void kernel(int* out) {
    if (out) *out = 1;
}
__global__ void other(int* out) {
    if (out) *out = 1;
}

cudaLaunchAttribute cluster(dim3 size) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size.x;
    attribute.val.clusterDim.y = size.y;
    attribute.val.clusterDim.z = size.z;
    return attribute;
}

void launch(const char* what, void (*function)(int*), int blocks, dim3 size, bool named = true) {
    cudaLaunchAttribute attribute = cluster(size);
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = named;
    int* nowhere = nullptr;
    void* arguments[] = {&nowhere};
    result(what, cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(function), arguments));
    need(cudaDeviceSynchronize());
}

cudaError_t active(int* count, int size, int threads) {
    cudaLaunchAttribute attribute = cluster(dim3(size));
    cudaLaunchConfig_t config{};
    config.gridDim = 16 * 9;
    config.blockDim = threads;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaOccupancyMaxActiveClusters(count, reinterpret_cast<const void*>(other), &config);
}

int largest() {
    cudaLaunchConfig_t config{};
    config.gridDim = 16;
    config.blockDim = 128;
    int size = 0;
    need(
        cudaOccupancyMaxPotentialClusterSize(&size, reinterpret_cast<const void*>(other), &config));
    return size;
}

void tell(const char* what, const void* function) {
    cudaFuncAttributes attributes{};
    need(cudaFuncGetAttributes(&attributes, function));
    std::printf("%s: %d, %d x %d x %d\n", what, attributes.clusterDimMustBeSet,
                attributes.requiredClusterWidth, attributes.requiredClusterHeight,
                attributes.requiredClusterDepth);
}

void set(const char* what, cudaFuncAttribute attribute) {
    result(what, cudaFuncSetAttribute(kernel, attribute,
                                      attribute == cudaFuncAttributeRequiredClusterWidth ? 2 : 1));
}

int main() {
    launch("2 in a grid of 4", kernel, 4, 2);
    launch("2 in a grid of 5", kernel, 5, 2);
    launch("3 in a grid of 6", kernel, 6, 3);
    launch("8", kernel, 8, 8);
    launch("9", kernel, 9, 9);
    launch("16", kernel, 16, 16);
    launch("all extents 0", kernel, 4, dim3(0, 0, 0));
    launch("two extents 0", kernel, 4, dim3(2, 0, 0));
    launch("a fixed cluster, not named", fixed, 4, 1, false);
    launch("a fixed cluster, named", fixed, 4, 2);
    launch("a fixed cluster, another one named", fixed, 4, 4);
    launch("a fixed cluster, one block named", fixed, 4, 1);
    launch("a fixed cluster of 2 in a grid of 3", fixed, 3, 1, false);
    need(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    launch("16, allowed", kernel, 16, 16);
    launch("12, allowed", kernel, 12, 12);
    launch("17, allowed", kernel, 17, 17);
    result("width of a fixed cluster",
           cudaFuncSetAttribute(fixed, cudaFuncAttributeRequiredClusterWidth, 4));
    set("width", cudaFuncAttributeRequiredClusterWidth);
    launch("a launch with the width alone", kernel, 4, 1, false);
    set("height", cudaFuncAttributeRequiredClusterHeight);
    set("depth", cudaFuncAttributeRequiredClusterDepth);
    launch("a launch with all three", kernel, 4, 1, false);
    launch("another cluster over it", kernel, 4, 4);
    launch("the same cluster over it", kernel, 4, 2);
    tell("attributes of a fixed cluster", reinterpret_cast<const void*>(fixed));
    tell("attributes of a cluster that was set", reinterpret_cast<const void*>(kernel));
    std::printf("largest cluster: %d\n", largest());
    need(cudaFuncSetAttribute(other, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    std::printf("largest cluster, allowed to be larger: %d\n", largest());
    need(cudaFuncSetAttribute(other, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    int ones = 0, twos = 0;
    result("active clusters of 9", active(&ones, 9, 1024));
    need(active(&ones, 1, 1024));
    need(active(&twos, 2, 1024));
    std::printf("active clusters of 1 and of 2: %d %d\n", ones, twos);
}
