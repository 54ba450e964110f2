// Implements queries about kernels (attributes, name and parameters), and the functions that set
// attributes.
#include <cstring>

#include "simulator/base/device_model.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/modules.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

int find_max_threads(const Kernel& kernel) {
    const u32* max_block_shape = kernel.ast->max_threads;
    const u32* required_block_shape = kernel.ast->required_threads;
    const u32* block_shape = required_block_shape[0] ? required_block_shape : max_block_shape;
    if (block_shape[0] == 0) return DeviceModel::max_threads_per_block;
    return static_cast<int>(block_shape[0] * (block_shape[1] ? block_shape[1] : 1) *
                            (block_shape[2] ? block_shape[2] : 1));
}

u64 count_constant_bytes(const Kernel& kernel) {
    u64 bytes = 0;
    for (const auto& [name, variable] : kernel.module->ast->variables) {
        if (variable.space == ptx::StateSpace::constant) bytes += variable.size;
    }
    return bytes;
}

void get_attributes(const KernelHandle& handle, cudaFuncAttributes& attributes) {
    const Kernel& kernel = *handle.kernel;
    std::memset(&attributes, 0, sizeof attributes);
    attributes.sharedSizeBytes = kernel.static_shared_bytes;
    attributes.constSizeBytes = count_constant_bytes(kernel);
    attributes.localSizeBytes = kernel.local_bytes;
    attributes.maxThreadsPerBlock = find_max_threads(kernel);
    attributes.numRegs = static_cast<int>(kernel.estimated_registers);
    attributes.ptxVersion = DeviceModel::capability;
    attributes.binaryVersion = DeviceModel::capability;
    attributes.maxDynamicSharedSizeBytes = static_cast<int>(handle.dynamic_shared_limit());
    attributes.preferredShmemCarveout = handle.shared_carveout;
    const u32* cluster = kernel.ast->cluster;
    attributes.clusterDimMustBeSet = cluster[0] != 0;
    attributes.requiredClusterWidth = static_cast<int>(cluster[0] ? cluster[0] : handle.cluster.x);
    attributes.requiredClusterHeight = static_cast<int>(cluster[0] ? cluster[1] : handle.cluster.y);
    attributes.requiredClusterDepth = static_cast<int>(cluster[0] ? cluster[2] : handle.cluster.z);
    attributes.clusterSchedulingPolicyPreference = handle.cluster_policy;
    attributes.nonPortableClusterSizeAllowed = handle.allows_nonportable_cluster;
}

void set_max_dynamic_shared(KernelHandle& handle, int bytes) {
    const int max_bytes = static_cast<int>(DeviceModel::shared_per_block_optin) -
                          static_cast<int>(handle.kernel->static_shared_bytes);
    if (bytes < 0 || bytes > max_bytes)
        refuse(std::to_string(bytes) +
               " bytes of dynamic shared memory are not allowed: " + handle.kernel->display_name +
               " can have 0 to " + std::to_string(max_bytes) + " bytes.");
    handle.max_dynamic_shared_bytes = bytes;
}

void set_cluster_extent(KernelHandle& handle, u32& extent, int value) {
    // A kernel compiled with __cluster_dims__ has a fixed cluster size.
    require(value >= 0 && handle.kernel->ast->cluster[0] == 0);
    extent = static_cast<u32>(value);
}

void set_function_attribute(const void* function, cudaFuncAttribute attribute, int value) {
    KernelHandle& handle = Modules::instance().find_prepared_kernel(function);
    switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            return set_max_dynamic_shared(handle, value);
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            // The preferred split between L1 and shared memory is stored but has no effect.
            require(value >= -1 && value <= 100);
            handle.shared_carveout = value;
            return;
        case cudaFuncAttributeRequiredClusterWidth:
            return set_cluster_extent(handle, handle.cluster.x, value);
        case cudaFuncAttributeRequiredClusterHeight:
            return set_cluster_extent(handle, handle.cluster.y, value);
        case cudaFuncAttributeRequiredClusterDepth:
            return set_cluster_extent(handle, handle.cluster.z, value);
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
            handle.allows_nonportable_cluster = value != 0;
            return;
        case cudaFuncAttributeClusterSchedulingPolicyPreference:
            handle.cluster_policy = value;
            return;
        default: fail();
    }
}

}  // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    return run_device_call(__func__, [&] {
        require(attributes);
        get_attributes(Modules::instance().find_prepared_kernel(function), *attributes);
    });
}

COALESCE_BY(run_device_call, cudaFuncSetAttribute, set_function_attribute, 3);

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
    return run_device_call(__func__, [&] {
        require(device == 0, cudaErrorInvalidDevice);
        set_function_attribute(kernel, attribute, value);
    });
}

/// Checks and ignores the preferred split between L1 and shared memory, which is only a hint.
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
    return run_device_call(__func__, [&] {
        require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
        Modules::instance().find_prepared_kernel(function);
    });
}

/// Ignores the bank size. Since compute capability 5, hardware ignores it too.
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
    return run_device_call(__func__, [&] { Modules::instance().find_prepared_kernel(function); });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
    return run_device_call(__func__, [&] {
        require(name);
        *name = Modules::instance().find_kernel(function).name.c_str();
    });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset,
                                 size_t* bytes) {
    return run_device_call(__func__, [&] {
        require(offset);
        const Kernel& kernel = *Modules::instance().find_prepared_kernel(function).kernel;
        require(index < kernel.parameter_offsets.size());
        *offset = kernel.parameter_offsets[index];
        if (bytes) *bytes = kernel.ast->parameters[index].size;
    });
}
