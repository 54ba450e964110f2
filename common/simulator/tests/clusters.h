// Helpers for test programs that use clusters: launches, ranks, and wrappers for PTX instructions.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Launches `kernel` in clusters of the given shape.
template <class... Parameters, class... Arguments>
cudaError_t launch_clusters(void (*kernel)(Parameters...), dim3 grid, dim3 block, dim3 cluster,
                            std::size_t shared, Arguments... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    void* pointers[] = {&arguments...};
    return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers);
}

__device__ inline unsigned shared_at(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ inline unsigned rank_in_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline unsigned blocks_in_cluster() {
    unsigned count;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    return count;
}
/// Returns the address of the variable at `pointer` in the shared memory of block `rank`.
__device__ inline unsigned mapped(const void* pointer, unsigned rank) {
    unsigned address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(address)
                 : "r"(shared_at(pointer)), "r"(rank));
    return address;
}
template <class T>
__device__ T* mapped_pointer(T* pointer, unsigned rank) {
    T* result;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(result) : "l"(pointer), "r"(rank));
    return result;
}
__device__ inline unsigned load_from(unsigned address) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}
__device__ inline void store_to(unsigned address, unsigned value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
__device__ inline void cluster_arrive() {
    asm volatile("barrier.cluster.arrive;" ::: "memory");
}
__device__ inline void cluster_wait() {
    asm volatile("barrier.cluster.wait;" ::: "memory");
}
__device__ inline void cluster_sync() {
    cluster_arrive();
    cluster_wait();
}
