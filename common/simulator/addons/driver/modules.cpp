// Implements the functions for device code that the program loads: modules, libraries, the linker,
// kernels and variables.
#include <cstring>
#include <string>

#include "simulator/addons/driver/driver.h"
#include "simulator/base/linked_ptx.h"
#include "simulator/base/subjects.h"
#include "simulator/cudart/handles.h"

using namespace coalesce::simulator::driver;

namespace {

void load(cudaLibrary_t* module, const void* image, unsigned count = 0,
          cudaJitOption* options = nullptr, void** values = nullptr) {
    require_success(
        cudaLibraryLoadData(module, image, options, values, count, nullptr, nullptr, 0));
}

void get_attribute(int* value, int attribute, const void* kernel) {
    cudaFuncAttributes attributes;
    require_success(cudaFuncGetAttributes(&attributes, kernel));
    const int values[] = {attributes.maxThreadsPerBlock,
                          static_cast<int>(attributes.sharedSizeBytes),
                          static_cast<int>(attributes.constSizeBytes),
                          static_cast<int>(attributes.localSizeBytes),
                          attributes.numRegs,
                          attributes.ptxVersion,
                          attributes.binaryVersion,
                          attributes.cacheModeCA,
                          attributes.maxDynamicSharedSizeBytes,
                          attributes.preferredShmemCarveout,
                          attributes.clusterDimMustBeSet,
                          attributes.requiredClusterWidth,
                          attributes.requiredClusterHeight,
                          attributes.requiredClusterDepth,
                          attributes.nonPortableClusterSizeAllowed,
                          attributes.clusterSchedulingPolicyPreference};
    require(attribute >= 0 && attribute < static_cast<int>(std::size(values)));
    store_output(value, values[attribute]);
}

// ---- the linker, which accepts only PTX and defers linking until the image is loaded ----

struct LinkState {
    std::string ptx;
};

/// Returns all link states that have been created and not yet destroyed.
auto& live_link_states() {
    static auto& link_states = *new coalesce::simulator::cudart::HandleTable<LinkState*, LinkState>;
    return link_states;
}

constexpr int kInputPtx = 1;

LinkState& find_link(LinkState* handle) {
    LinkState* link = live_link_states().find(handle);
    require(link, cudaErrorInvalidResourceHandle);
    return *link;
}

void add_input(LinkState& link, int type, const char* data, size_t size) {
    require(data);
    if (type != kInputPtx)
        require_success(coalesceDriverMissing("linking anything other than PTX",
                                              coalesce::simulator::subjects::linking.alternative));
    if (!link.ptx.empty()) link.ptx += coalesce::simulator::kPtxSeparator;
    link.ptx.append(data, strnlen(data, size));
}

}  // namespace

extern "C" {

// ---- modules ----

Result cuModuleLoadData(cudaLibrary_t* module, const void* image) {
    return call_with_context(__func__, [&] { load(module, image); });
}

/// Forwards the options. The driver and the runtime use the same option numbers.
Result cuModuleLoadDataEx(cudaLibrary_t* module, const void* image, unsigned count,
                          cudaJitOption* options, void** values) {
    return call_with_context(__func__, [&] { load(module, image, count, options, values); });
}

Result cuModuleLoadFatBinary(cudaLibrary_t* module, const void* image) {
    return call_with_context(__func__, [&] { load(module, image); });
}

Result cuModuleLoad(cudaLibrary_t* module, const char* file) {
    return forward_with_context(__func__, cudaLibraryLoadFromFile, module, file, nullptr, nullptr,
                                0u, nullptr, nullptr, 0u);
}

COALESCE_SAME(cuModuleUnload, cudaLibraryUnload, 1);
COALESCE_SAME(cuModuleGetFunction, cudaLibraryGetKernel, 3);
COALESCE_SAME(cuModuleGetFunctionCount, cudaLibraryGetKernelCount, 2);
COALESCE_SAME(cuModuleEnumerateFunctions, cudaLibraryEnumerateKernels, 3);
COALESCE_SAME(cuModuleGetGlobal_v2, cudaLibraryGetGlobal, 4);

/// Returns CU_MODULE_EAGER_LOADING (1), because the simulator reads a module as soon as the program
/// loads it.
Result cuModuleGetLoadingMode(int* mode) {
    return run_driver_call(__func__, [&] { store_output(mode, 1); });
}

// ---- libraries ----

Result cuLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* options,
                         void** values, unsigned count, cudaLibraryOption*, void**, unsigned) {
    return run_driver_call(__func__, [&] { load(library, code, count, options, values); });
}

Result cuLibraryLoadFromFile(cudaLibrary_t* library, const char* file, cudaJitOption*, void**,
                             unsigned, cudaLibraryOption*, void**, unsigned) {
    return forward_without_context(__func__, cudaLibraryLoadFromFile, library, file, nullptr,
                                   nullptr, 0u, nullptr, nullptr, 0u);
}

COALESCE_SAME_ANYWHERE(cuLibraryUnload, cudaLibraryUnload, 1);
COALESCE_SAME_ANYWHERE(cuLibraryGetKernel, cudaLibraryGetKernel, 3);
COALESCE_SAME_ANYWHERE(cuLibraryGetKernelCount, cudaLibraryGetKernelCount, 2);
COALESCE_SAME_ANYWHERE(cuLibraryEnumerateKernels, cudaLibraryEnumerateKernels, 3);
COALESCE_SAME(cuLibraryGetGlobal, cudaLibraryGetGlobal, 4);
COALESCE_SAME(cuLibraryGetManaged, cudaLibraryGetManaged, 4);

/// Returns the library itself, since the simulator does not distinguish libraries from modules.
Result cuLibraryGetModule(cudaLibrary_t* module, cudaLibrary_t library) {
    return call_with_context(__func__, [&] { store_output(module, library); });
}

// ---- kernels and functions, which the simulator does not distinguish ----

Result cuKernelGetFunction(cudaKernel_t* function, cudaKernel_t kernel) {
    return call_with_context(__func__, [&] { store_output(function, kernel); });
}

COALESCE_SAME(cuFuncGetName, cudaFuncGetName, 2);
COALESCE_SAME(cuKernelGetName, cudaFuncGetName, 2);
COALESCE_SAME(cuFuncGetParamInfo, cudaFuncGetParamInfo, 4);
COALESCE_SAME(cuKernelGetParamInfo, cudaFuncGetParamInfo, 4);

Result cuFuncGetAttribute(int* value, int attribute, const void* kernel) {
    return call_with_context(__func__, [&] { get_attribute(value, attribute, kernel); });
}

Result cuKernelGetAttribute(int* value, int attribute, const void* kernel, int) {
    return call_with_context(__func__, [&] { get_attribute(value, attribute, kernel); });
}

COALESCE_SAME(cuFuncSetAttribute, cudaFuncSetAttribute, 3);

Result cuKernelSetAttribute(cudaFuncAttribute attribute, int value, const void* kernel, int) {
    return forward_with_context(__func__, cudaFuncSetAttribute, kernel, attribute, value);
}

COALESCE_SAME(cuFuncSetCacheConfig, cudaFuncSetCacheConfig, 2);

Result cuKernelSetCacheConfig(const void* kernel, cudaFuncCache config, int) {
    return forward_with_context(__func__, cudaFuncSetCacheConfig, kernel, config);
}

Result cuFuncSetSharedMemConfig(cudaKernel_t, cudaSharedMemConfig) {
    return call_with_context(__func__, [] {});
}

/// Returns CU_FUNCTION_LOADING_STATE_LOADED for every kernel, because the simulator reads a module
/// as soon as the program loads it.
Result cuFuncIsLoaded(int* state, cudaKernel_t) {
    return call_with_context(__func__, [&] { store_output(state, 1); });
}

Result cuFuncLoad(cudaKernel_t) {
    return call_with_context(__func__, [] {});
}

// ---- linking ----

Result cuLinkCreate_v2(unsigned, cudaJitOption*, void**, LinkState** link) {
    return call_with_context(__func__, [&] {
        require(link);
        *link = live_link_states().add({});
    });
}

Result cuLinkAddData_v2(LinkState* link, int type, void* data, size_t size, const char*, unsigned,
                        cudaJitOption*, void**) {
    return call_with_context(
        __func__, [&] { add_input(find_link(link), type, static_cast<const char*>(data), size); });
}

Result cuLinkComplete(LinkState* link, void** image, size_t* size) {
    return call_with_context(__func__, [&] {
        LinkState& link_state = find_link(link);
        require(!link_state.ptx.empty());
        if (size) *size = link_state.ptx.size() + 1;
        store_output(image, link_state.ptx.data());
    });
}

Result cuLinkDestroy(LinkState* link) {
    return call_with_context(__func__, [&] { live_link_states().destroy(&find_link(link)); });
}

}  // extern "C"
