// Structures that differ between CUDA 12 and CUDA 13. Programs built with CUDA 12 pass these
// structures to libcudart.so.12.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace coalesce::simulator::cudart12 {

// The members are named as in CUDA's headers.
// NOLINTBEGIN(readability-identifier-naming)

/// cudaDeviceProp in CUDA 12. In CUDA 11, the structure ends after reservedSharedMemPerBlock.
struct DeviceProperties {
    // clang-format off
    char name[256]; unsigned char uuid[16]; char luid[8]; unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock; int regsPerBlock, warpSize; size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate; size_t totalConstMem; int major, minor;
    size_t textureAlignment, texturePitchAlignment; int deviceOverlap, multiProcessorCount;
    int kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
    int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
    int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
    int maxSurfaceCubemap, maxSurfaceCubemapLayered[2]; size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor; int regsPerMultiprocessor, managedMemory, isMultiGpuBoard;
    int multiGpuBoardGroupID, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
    int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
    int cooperativeMultiDeviceLaunch; size_t sharedMemPerBlockOptin; int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost, maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock; int hostRegisterSupported, sparseCudaArraySupported;
    int hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported, memoryPoolsSupported;
    int gpuDirectRDMASupported; unsigned gpuDirectRDMAFlushWritesOptions; int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes; int deferredMappingCudaArraySupported, ipcEventSupported;
    int clusterLaunch, unifiedFunctionPointers, reserved[63];
    // clang-format on
};
static_assert(sizeof(DeviceProperties) == 1032);

/// The size of cudaDeviceProp in CUDA 11, in bytes.
inline constexpr size_t kOlderPropertiesBytes = offsetof(DeviceProperties, hostRegisterSupported);
static_assert(kOlderPropertiesBytes == 728);

/// cudaPointerAttributes in CUDA 12. The structure of CUDA 13 begins with the same members.
struct PointerAttributes {
    cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};
// NOLINTEND(readability-identifier-naming)
static_assert(sizeof(PointerAttributes) == 24);
static_assert(offsetof(cudaPointerAttributes, hostPointer) ==
              offsetof(PointerAttributes, hostPointer));

/// The size of cudaResourceDesc in CUDA 12, in bytes. The size is determined by pitch2D, the
/// largest member of the union in cudaResourceDesc.
inline constexpr size_t kResourceBytes = 64;
static_assert(offsetof(cudaResourceDesc, res) == 8);

}  // namespace coalesce::simulator::cudart12
