// Implements queries about kernels (attributes, name and parameters), and the functions that set
// attributes.
#include <cstring>

#include "simulator/base/device_model.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/modules.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

int max_threads_per_block(const Kernel& kernel) {
    const u32* bounds = kernel.ast->max_threads;
    const u32* required = kernel.ast->required_threads;
    const u32* shape = required[0] ? required : bounds;
    if (shape[0] == 0) return DeviceModel::max_threads_per_block;
    return static_cast<int>(shape[0] * (shape[1] ? shape[1] : 1) * (shape[2] ? shape[2] : 1));
}

u64 constant_bytes(const Kernel& kernel) {
    u64 bytes = 0;
    for (const auto& [name, variable] : kernel.module->ast->variables) {
        if (variable.space == ptx::StateSpace::constant) bytes += variable.size;
    }
    return bytes;
}

void get_attributes(const KernelHandle& handle, cudaFuncAttributes& attributes) {
    const Kernel& kernel = *handle.kernel;
    std::memset(&attributes, 0, sizeof attributes);
    attributes.sharedSizeBytes = kernel.static_shared;
    attributes.constSizeBytes = constant_bytes(kernel);
    attributes.localSizeBytes = kernel.local_bytes;
    attributes.maxThreadsPerBlock = max_threads_per_block(kernel);
    attributes.numRegs = static_cast<int>(kernel.estimated_registers);
    attributes.ptxVersion = DeviceModel::capability;
    attributes.binaryVersion = DeviceModel::capability;
    attributes.maxDynamicSharedSizeBytes = static_cast<int>(handle.dynamic_shared_limit());
    attributes.preferredShmemCarveout = handle.carveout;
    const u32* cluster = kernel.ast->cluster;
    attributes.clusterDimMustBeSet = cluster[0] != 0;
    attributes.requiredClusterWidth = static_cast<int>(cluster[0] ? cluster[0] : handle.cluster.x);
    attributes.requiredClusterHeight = static_cast<int>(cluster[0] ? cluster[1] : handle.cluster.y);
    attributes.requiredClusterDepth = static_cast<int>(cluster[0] ? cluster[2] : handle.cluster.z);
    attributes.clusterSchedulingPolicyPreference = handle.cluster_policy;
    attributes.nonPortableClusterSizeAllowed = handle.non_portable_cluster;
}

void set_max_dynamic_shared(KernelHandle& handle, int bytes) {
    const int most = static_cast<int>(DeviceModel::shared_per_block_optin) -
                     static_cast<int>(handle.kernel->static_shared);
    if (bytes < 0 || bytes > most)
        refuse(std::to_string(bytes) + " bytes of dynamic shared memory are not allowed: " +
               handle.kernel->demangled + " can have 0 to " + std::to_string(most) + " bytes.");
    handle.max_dynamic_shared = bytes;
}

void set_cluster_extent(KernelHandle& handle, u32& extent, int value) {
    // A kernel compiled with __cluster_dims__ has a fixed cluster size.
    require(value >= 0 && handle.kernel->ast->cluster[0] == 0);
    extent = static_cast<u32>(value);
}

void set_function_attribute(const void* function, cudaFuncAttribute attribute, int value) {
    KernelHandle& handle = Modules::instance().find_prepared(function);
    switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            return set_max_dynamic_shared(handle, value);
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            // The preferred split between L1 and shared memory is stored but has no effect.
            require(value >= -1 && value <= 100);
            handle.carveout = value;
            return;
        case cudaFuncAttributeRequiredClusterWidth:
            return set_cluster_extent(handle, handle.cluster.x, value);
        case cudaFuncAttributeRequiredClusterHeight:
            return set_cluster_extent(handle, handle.cluster.y, value);
        case cudaFuncAttributeRequiredClusterDepth:
            return set_cluster_extent(handle, handle.cluster.z, value);
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
            handle.non_portable_cluster = value != 0;
            return;
        case cudaFuncAttributeClusterSchedulingPolicyPreference:
            handle.cluster_policy = value;
            return;
        default: fail();
    }
}

}  // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    return api(__func__, [&] {
        require(attributes);
        get_attributes(Modules::instance().find_prepared(function), *attributes);
    });
}

COALESCE_BY(api, cudaFuncSetAttribute, set_function_attribute, 3);

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
    return api(__func__, [&] {
        require(device == 0, cudaErrorInvalidDevice);
        set_function_attribute(kernel, attribute, value);
    });
}

/// Checks and ignores the preferred split between L1 and shared memory, which is only a hint.
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
    return api(__func__, [&] {
        require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
        Modules::instance().find_prepared(function);
    });
}

/// Ignores the bank size. Since compute capability 5, hardware ignores it too.
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
    return api(__func__, [&] { Modules::instance().find_prepared(function); });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
    return api(__func__, [&] {
        require(name);
        *name = Modules::instance().find(function).name.c_str();
    });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset,
                                 size_t* bytes) {
    return api(__func__, [&] {
        require(offset);
        const Kernel& kernel = *Modules::instance().find_prepared(function).kernel;
        require(index < kernel.parameter_offsets.size());
        *offset = kernel.parameter_offsets[index];
        if (bytes) *bytes = kernel.ast->parameters[index].size;
    });
}
