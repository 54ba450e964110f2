// What the simulated device says of itself: every cudaDeviceAttr, and cudaDeviceProp made from
// them, so that the two cannot disagree. The values stand in device_attributes.inc.
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/device_model.h"
#include "cudart/api.h"
#include "cudart/devices.h"
#include "device/device.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// The bus that the device claims to sit on.
/// Of device 0; the others follow.
constexpr unsigned kPciBus = 1;
/// The numbers of attributes end before this one.
constexpr int kAttributesEnd = cudaDevAttrMax;

std::optional<int> attribute_value(int attribute) {
    switch (attribute) {
#define COALESCE_ATTRIBUTE(name, value) \
    case cudaDevAttr##name:             \
        return static_cast<int>(value);
#include "cudart/device_attributes.inc"
#undef COALESCE_ATTRIBUTE
        default: break;
    }
    const bool reserved = attribute > 0 && attribute < kAttributesEnd;
    return reserved ? std::optional(0) : std::nullopt;
}

int of(cudaDeviceAttr attribute) {
    return attribute_value(attribute).value_or(0);
}

void fill_identity(cudaDeviceProp& p) {
    std::snprintf(p.name, sizeof p.name, "%s", DeviceModel::name);
    std::memcpy(p.uuid.bytes, "coalesce-sim-gpu", sizeof p.uuid.bytes);
    p.major = of(cudaDevAttrComputeCapabilityMajor);
    p.minor = of(cudaDevAttrComputeCapabilityMinor);
    p.pciBusID = of(cudaDevAttrPciBusId);
    p.pciDeviceID = of(cudaDevAttrPciDeviceId);
    p.pciDomainID = of(cudaDevAttrPciDomainId);
    p.gpuPciDeviceID = static_cast<unsigned>(of(cudaDevAttrGpuPciDeviceId));
    p.gpuPciSubsystemID = static_cast<unsigned>(of(cudaDevAttrGpuPciSubsystemId));
    p.tccDriver = of(cudaDevAttrTccDriver);
    p.integrated = of(cudaDevAttrIntegrated);
    p.isMultiGpuBoard = of(cudaDevAttrIsMultiGpuBoard);
    p.multiGpuBoardGroupID = of(cudaDevAttrMultiGpuBoardGroupID);
    p.ECCEnabled = of(cudaDevAttrEccEnabled);
    p.deviceNumaConfig = of(cudaDevAttrNumaConfig);
    p.deviceNumaId = of(cudaDevAttrNumaId);
    p.hostNumaId = of(cudaDevAttrHostNumaId);
    p.mpsEnabled = of(cudaDevAttrMpsEnabled);
}

void fill_threads(cudaDeviceProp& p) {
    p.warpSize = of(cudaDevAttrWarpSize);
    p.maxThreadsPerBlock = of(cudaDevAttrMaxThreadsPerBlock);
    p.maxThreadsDim[0] = of(cudaDevAttrMaxBlockDimX);
    p.maxThreadsDim[1] = of(cudaDevAttrMaxBlockDimY);
    p.maxThreadsDim[2] = of(cudaDevAttrMaxBlockDimZ);
    p.maxGridSize[0] = of(cudaDevAttrMaxGridDimX);
    p.maxGridSize[1] = of(cudaDevAttrMaxGridDimY);
    p.maxGridSize[2] = of(cudaDevAttrMaxGridDimZ);
    p.multiProcessorCount = of(cudaDevAttrMultiProcessorCount);
    p.maxThreadsPerMultiProcessor = of(cudaDevAttrMaxThreadsPerMultiProcessor);
    p.maxBlocksPerMultiProcessor = of(cudaDevAttrMaxBlocksPerMultiprocessor);
    p.regsPerBlock = of(cudaDevAttrMaxRegistersPerBlock);
    p.regsPerMultiprocessor = of(cudaDevAttrMaxRegistersPerMultiprocessor);
    p.cooperativeLaunch = of(cudaDevAttrCooperativeLaunch);
    p.clusterLaunch = of(cudaDevAttrClusterLaunch);
    p.computePreemptionSupported = of(cudaDevAttrComputePreemptionSupported);
    p.unifiedFunctionPointers = 0;
}

void fill_memory(cudaDeviceProp& p) {
    p.totalGlobalMem = Device::instance().memory().capacity();
    p.sharedMemPerBlock = static_cast<size_t>(of(cudaDevAttrMaxSharedMemoryPerBlock));
    p.sharedMemPerBlockOptin = static_cast<size_t>(of(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    p.sharedMemPerMultiprocessor =
        static_cast<size_t>(of(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    p.reservedSharedMemPerBlock = static_cast<size_t>(of(cudaDevAttrReservedSharedMemoryPerBlock));
    p.totalConstMem = static_cast<size_t>(of(cudaDevAttrTotalConstantMemory));
    p.memPitch = static_cast<size_t>(of(cudaDevAttrMaxPitch));
    p.memoryBusWidth = of(cudaDevAttrGlobalMemoryBusWidth);
    p.l2CacheSize = of(cudaDevAttrL2CacheSize);
    p.persistingL2CacheMaxSize = of(cudaDevAttrMaxPersistingL2CacheSize);
    p.accessPolicyMaxWindowSize = of(cudaDevAttrMaxAccessPolicyWindowSize);
    p.globalL1CacheSupported = of(cudaDevAttrGlobalL1CacheSupported);
    p.localL1CacheSupported = of(cudaDevAttrLocalL1CacheSupported);
    p.textureAlignment = static_cast<size_t>(of(cudaDevAttrTextureAlignment));
    p.texturePitchAlignment = static_cast<size_t>(of(cudaDevAttrTexturePitchAlignment));
    p.surfaceAlignment = static_cast<size_t>(of(cudaDevAttrSurfaceAlignment));
}

void fill_abilities(cudaDeviceProp& p) {
    p.unifiedAddressing = of(cudaDevAttrUnifiedAddressing);
    p.canMapHostMemory = of(cudaDevAttrCanMapHostMemory);
    p.managedMemory = of(cudaDevAttrManagedMemory);
    p.concurrentManagedAccess = of(cudaDevAttrConcurrentManagedAccess);
    p.directManagedMemAccessFromHost = of(cudaDevAttrDirectManagedMemAccessFromHost);
    p.pageableMemoryAccess = of(cudaDevAttrPageableMemoryAccess);
    p.pageableMemoryAccessUsesHostPageTables =
        of(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
    p.hostNativeAtomicSupported = of(cudaDevAttrHostNativeAtomicSupported);
    p.canUseHostPointerForRegisteredMem = of(cudaDevAttrCanUseHostPointerForRegisteredMem);
    p.hostRegisterSupported = of(cudaDevAttrHostRegisterSupported);
    p.hostRegisterReadOnlySupported = of(cudaDevAttrHostRegisterReadOnlySupported);
    p.asyncEngineCount = of(cudaDevAttrAsyncEngineCount);
    p.concurrentKernels = of(cudaDevAttrConcurrentKernels);
    p.streamPrioritiesSupported = of(cudaDevAttrStreamPrioritiesSupported);
    p.memoryPoolsSupported = of(cudaDevAttrMemoryPoolsSupported);
    p.memoryPoolSupportedHandleTypes =
        static_cast<unsigned>(of(cudaDevAttrMemoryPoolSupportedHandleTypes));
    // What is left is not simulated, and zero: textures, surfaces, arrays, other processes and
    // devices.
}

cudaError_t device_error(int device) {
    return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return answer(__func__, [&] {
        if (!properties) return cudaErrorInvalidValue;
        if (!is_device(device)) return device_error(device);
        std::memset(properties, 0, sizeof *properties);
        fill_identity(*properties);
        fill_threads(*properties);
        fill_memory(*properties);
        fill_abilities(*properties);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return answer(__func__, [&] {
        const auto found = attribute_value(attribute);
        if (!value || !found) return cudaErrorInvalidValue;
        if (is_device(device)) *value = *found;
        return device_error(device);
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int device) {
    return answer(__func__, [&] {
        if (!id || size < 13) return cudaErrorInvalidValue;
        if (!is_device(device)) return device_error(device);
        std::snprintf(id, static_cast<size_t>(size), "0000:%02X:00.0",
                      kPciBus + static_cast<unsigned>(device));
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    return answer(__func__, [&] {
        unsigned domain = 0, bus = 0, slot = 0, function = 0;
        if (!device || !id) return cudaErrorInvalidValue;
        // domain:bus:device.function, domain:bus:device or bus:device.function, in hexadecimal
        if (std::sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
            domain = function = 0;
            if (std::sscanf(id, "%x:%x.%x", &bus, &slot, &function) < 2) {
                return cudaErrorInvalidValue;
            }
        }
        const int number = static_cast<int>(bus) - static_cast<int>(kPciBus);
        if (domain != 0 || !is_device(number) || slot != 0 || function != 0) {
            return cudaErrorInvalidDevice;
        }
        *device = number;
        return cudaSuccess;
    });
}
