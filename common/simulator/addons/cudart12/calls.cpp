// Implements the CUDA 12 functions that CUDA 13 removed, or whose parameters or structures it
// changed.
//
// Theory of operation
//   libcudart.so.12 is a thin layer over libcudart.so.13, which does all the work. Most functions
//   jump to the function of the same name in libcudart.so.13; make_face.sh generates these jumps
//   (forward.h). The functions in this file and in graph_calls.cpp translate the parameters and
//   structures that have changed (older.h). own.txt lists them.
#include <cstring>

#include "simulator/addons/cudart12/older.h"
#include "simulator/addons/cudart12/structures.h"

using namespace coalesce::simulator::cudart12;

namespace {
constexpr int kRuntimeVersion =
    12090;  ///< CUDA 12.9, the newest CUDA 12, as cudaRuntimeGetVersion encodes it
}

// ---- devices ----

COALESCE_NEXT(device_properties, cudaGetDeviceProperties);
COALESCE_NEXT(device_attribute, cudaDeviceGetAttribute);
COALESCE_NEXT(runtime_version, cudaRuntimeGetVersion);

namespace {

/// Copies the members that the structures of both versions share.
void copy_common_members(DeviceProperties& older, const cudaDeviceProp& newer) {
#define COALESCE_COPY(member)                                  \
    static_assert(sizeof older.member == sizeof newer.member); \
    std::memcpy(static_cast<void*>(&older.member), &newer.member, sizeof newer.member)
    // clang-format off
    COALESCE_COPY(name); COALESCE_COPY(uuid); COALESCE_COPY(luid); COALESCE_COPY(luidDeviceNodeMask);
    COALESCE_COPY(totalGlobalMem); COALESCE_COPY(sharedMemPerBlock); COALESCE_COPY(regsPerBlock);
    COALESCE_COPY(warpSize); COALESCE_COPY(memPitch); COALESCE_COPY(maxThreadsPerBlock);
    COALESCE_COPY(maxThreadsDim); COALESCE_COPY(maxGridSize); COALESCE_COPY(totalConstMem); COALESCE_COPY(major);
    COALESCE_COPY(minor); COALESCE_COPY(textureAlignment); COALESCE_COPY(texturePitchAlignment);
    COALESCE_COPY(multiProcessorCount); COALESCE_COPY(integrated); COALESCE_COPY(canMapHostMemory);
    COALESCE_COPY(maxTexture1D); COALESCE_COPY(maxTexture1DMipmap); COALESCE_COPY(maxTexture2D);
    COALESCE_COPY(maxTexture2DMipmap); COALESCE_COPY(maxTexture2DLinear); COALESCE_COPY(maxTexture2DGather);
    COALESCE_COPY(maxTexture3D); COALESCE_COPY(maxTexture3DAlt); COALESCE_COPY(maxTextureCubemap);
    COALESCE_COPY(maxTexture1DLayered); COALESCE_COPY(maxTexture2DLayered);
    COALESCE_COPY(maxTextureCubemapLayered); COALESCE_COPY(maxSurface1D); COALESCE_COPY(maxSurface2D);
    COALESCE_COPY(maxSurface3D); COALESCE_COPY(maxSurface1DLayered); COALESCE_COPY(maxSurface2DLayered);
    COALESCE_COPY(maxSurfaceCubemap); COALESCE_COPY(maxSurfaceCubemapLayered); COALESCE_COPY(surfaceAlignment);
    COALESCE_COPY(concurrentKernels); COALESCE_COPY(ECCEnabled); COALESCE_COPY(pciBusID);
    COALESCE_COPY(pciDeviceID); COALESCE_COPY(pciDomainID); COALESCE_COPY(tccDriver);
    COALESCE_COPY(asyncEngineCount); COALESCE_COPY(unifiedAddressing); COALESCE_COPY(memoryBusWidth);
    COALESCE_COPY(l2CacheSize); COALESCE_COPY(persistingL2CacheMaxSize);
    COALESCE_COPY(maxThreadsPerMultiProcessor); COALESCE_COPY(streamPrioritiesSupported);
    COALESCE_COPY(globalL1CacheSupported); COALESCE_COPY(localL1CacheSupported);
    COALESCE_COPY(sharedMemPerMultiprocessor); COALESCE_COPY(regsPerMultiprocessor); COALESCE_COPY(managedMemory);
    COALESCE_COPY(isMultiGpuBoard); COALESCE_COPY(multiGpuBoardGroupID); COALESCE_COPY(hostNativeAtomicSupported);
    COALESCE_COPY(pageableMemoryAccess); COALESCE_COPY(concurrentManagedAccess);
    COALESCE_COPY(computePreemptionSupported); COALESCE_COPY(canUseHostPointerForRegisteredMem);
    COALESCE_COPY(cooperativeLaunch); COALESCE_COPY(sharedMemPerBlockOptin);
    COALESCE_COPY(pageableMemoryAccessUsesHostPageTables); COALESCE_COPY(directManagedMemAccessFromHost);
    COALESCE_COPY(maxBlocksPerMultiProcessor); COALESCE_COPY(accessPolicyMaxWindowSize);
    COALESCE_COPY(reservedSharedMemPerBlock); COALESCE_COPY(hostRegisterSupported);
    COALESCE_COPY(sparseCudaArraySupported); COALESCE_COPY(hostRegisterReadOnlySupported);
    COALESCE_COPY(timelineSemaphoreInteropSupported); COALESCE_COPY(memoryPoolsSupported);
    COALESCE_COPY(gpuDirectRDMASupported); COALESCE_COPY(gpuDirectRDMAFlushWritesOptions);
    COALESCE_COPY(gpuDirectRDMAWritesOrdering); COALESCE_COPY(memoryPoolSupportedHandleTypes);
    COALESCE_COPY(deferredMappingCudaArraySupported); COALESCE_COPY(ipcEventSupported);
    COALESCE_COPY(clusterLaunch); COALESCE_COPY(unifiedFunctionPointers);
    // clang-format on
#undef COALESCE_COPY
}

/// Fills in the members that CUDA 13 replaced with attributes. The table contains the attribute
/// numbers.
cudaError_t fill_from_attributes(DeviceProperties& to, int device) {
    const struct {
        int attribute;
        int& member;
    } members_of_attributes[] = {{13, to.clockRate},
                                 {15, to.deviceOverlap},
                                 {17, to.kernelExecTimeoutEnabled},
                                 {20, to.computeMode},
                                 {36, to.memoryClockRate},
                                 {69, to.maxTexture1DLinear},
                                 {87, to.singleToDoublePrecisionPerfRatio},
                                 {96, to.cooperativeMultiDeviceLaunch}};
    for (const auto& [attribute, member] : members_of_attributes) {
        const auto name = static_cast<cudaDeviceAttr>(attribute);
        if (const cudaError_t error = next::device_attribute(&member, name, device)) return error;
    }
    return cudaSuccess;
}

/// Writes the first `bytes` bytes of the properties in CUDA 12's layout to `to`.
cudaError_t write_older_properties(void* to, size_t bytes, int device) {
    cudaDeviceProp newer;
    const cudaError_t error = next::device_properties(to ? &newer : nullptr, device);
    if (error) return error;
    DeviceProperties older{};
    copy_common_members(older, newer);
    if (const cudaError_t error = fill_from_attributes(older, device)) return error;
    std::memcpy(to, &older, bytes);
    return cudaSuccess;
}

}  // namespace

COALESCE_OLDER(older_device_properties, cudaGetDeviceProperties_v2, DeviceProperties* to,
               int device);
cudaError_t older_device_properties(DeviceProperties* to, int device) {
    return write_older_properties(to, sizeof *to, device);
}

COALESCE_OLDER(oldest_device_properties, cudaGetDeviceProperties, void* to, int device);
cudaError_t oldest_device_properties(void* to, int device) {
    return write_older_properties(to, kOlderPropertiesBytes, device);
}

COALESCE_OLDER(older_runtime_version, cudaRuntimeGetVersion, int* version);
cudaError_t older_runtime_version(int* version) {
    const cudaError_t error = next::runtime_version(version);
    if (!error) *version = kRuntimeVersion;
    return error;
}

/// Does nothing. cudaSetDoubleForDevice and cudaSetDoubleForHost only affected devices without
/// double precision.
COALESCE_OLDER(older_double_for_device, cudaSetDoubleForDevice, double*);
cudaError_t older_double_for_device(double*) {
    return cudaSuccess;
}
COALESCE_OLDER(older_double_for_host, cudaSetDoubleForHost, double*);
cudaError_t older_double_for_host(double*) {
    return cudaSuccess;
}

extern "C" cudaError_t coalesceDriverMissing(const char* function, const char* replacement);
COALESCE_OLDER(older_multi_device_launch, cudaLaunchCooperativeKernelMultiDevice, void*, unsigned,
               unsigned);
cudaError_t older_multi_device_launch(void*, unsigned, unsigned) {
    return coalesceDriverMissing("cudaLaunchCooperativeKernelMultiDevice",
                                 "launch a cooperative kernel on each device");
}

// ---- memory ----

COALESCE_NEXT(pointer_attributes, cudaPointerGetAttributes);
COALESCE_NEXT(mem_advise, cudaMemAdvise);
COALESCE_NEXT(mem_prefetch, cudaMemPrefetchAsync);

namespace {
cudaMemLocation to_mem_location(int device) {
    return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
            device == cudaCpuDeviceId ? 0 : device};
}
}  // namespace

COALESCE_OLDER(older_pointer_attributes, cudaPointerGetAttributes, PointerAttributes* attributes,
               const void* pointer);
cudaError_t older_pointer_attributes(PointerAttributes* attributes, const void* pointer) {
    cudaPointerAttributes newer;
    const cudaError_t error = next::pointer_attributes(attributes ? &newer : nullptr, pointer);
    if (!error) std::memcpy(static_cast<void*>(attributes), &newer, sizeof *attributes);
    return error;
}

COALESCE_OLDER(older_mem_advise, cudaMemAdvise, const void* pointer, size_t bytes,
               cudaMemoryAdvise advice, int device);
cudaError_t older_mem_advise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                             int device) {
    return next::mem_advise(pointer, bytes, advice, to_mem_location(device));
}

COALESCE_OLDER(older_mem_prefetch, cudaMemPrefetchAsync, const void* pointer, size_t bytes,
               int device, cudaStream_t stream);
cudaError_t older_mem_prefetch(const void* pointer, size_t bytes, int device, cudaStream_t stream) {
    return next::mem_prefetch(pointer, bytes, to_mem_location(device), 0, stream);
}

COALESCE_SAME_PER_THREAD(cudaMemPrefetchAsync);

// ---- textures and surfaces ----

COALESCE_NEXT(create_texture, cudaCreateTextureObject);
COALESCE_NEXT(create_surface, cudaCreateSurfaceObject);
COALESCE_NEXT(texture_resource, cudaGetTextureObjectResourceDesc);
COALESCE_NEXT(surface_resource, cudaGetSurfaceObjectResourceDesc);

namespace {

/// A resource description converted from CUDA 12's layout to CUDA 13's.
struct NewerResource {
    explicit NewerResource(const void* older) : is_given(older != nullptr) {
        if (is_given) std::memcpy(static_cast<void*>(&resource), older, kResourceBytes);
    }
    const cudaResourceDesc* resource_or_null() const { return is_given ? &resource : nullptr; }

    cudaResourceDesc resource{};
    bool is_given;
};

template <class Query, class Object>
cudaError_t query_older_resource(Query query, void* older, Object object) {
    cudaResourceDesc newer{};
    const cudaError_t error = query(older ? &newer : nullptr, object);
    if (!error) std::memcpy(older, &newer, kResourceBytes);
    return error;
}

}  // namespace

COALESCE_OLDER(older_create_texture, cudaCreateTextureObject, cudaTextureObject_t* object,
               const void* resource, const cudaTextureDesc* texture,
               const cudaResourceViewDesc* view);
cudaError_t older_create_texture(cudaTextureObject_t* object, const void* resource,
                                 const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
    return next::create_texture(object, NewerResource(resource).resource_or_null(), texture, view);
}

COALESCE_OLDER(older_create_surface, cudaCreateSurfaceObject, cudaSurfaceObject_t* object,
               const void* resource);
cudaError_t older_create_surface(cudaSurfaceObject_t* object, const void* resource) {
    return next::create_surface(object, NewerResource(resource).resource_or_null());
}

COALESCE_OLDER(older_texture_resource, cudaGetTextureObjectResourceDesc, void* resource,
               cudaTextureObject_t object);
cudaError_t older_texture_resource(void* resource, cudaTextureObject_t object) {
    return query_older_resource(next::texture_resource, resource, object);
}

COALESCE_OLDER(older_surface_resource, cudaGetSurfaceObjectResourceDesc, void* resource,
               cudaSurfaceObject_t object);
cudaError_t older_surface_resource(void* resource, cudaSurfaceObject_t object) {
    return query_older_resource(next::surface_resource, resource, object);
}
