// Looks up the driver's functions (cuMemAlloc ...) for the runtime. This file itself defines
// cuTensorMapEncodeTiled, because programs that use tensor maps call it even if they otherwise use
// only the runtime. All other functions are in our replacement for the driver's library
// (addons/driver/), which `simulate` adds to the program's library path. Without that library, the
// lookup reports that the function was not found, just as NVIDIA's library does.
#ifndef __EMSCRIPTEN__
#    include <dlfcn.h>
#endif

#include "simulator/cudart/api.h"
#include "simulator/cudart/driver_support.h"
#include "simulator/memory/tensor_map.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

cudaError_t coalesceEncodeTensorMap(void* map, unsigned type, unsigned rank, void* address,
                                    const uint64_t* size, const uint64_t* strides,
                                    const unsigned* box, const unsigned* element_strides,
                                    unsigned interleave, unsigned swizzle, unsigned promotion,
                                    unsigned fill) {
    CurrentCall call("cuTensorMapEncodeTiled");
    const cudaError_t error = catch_error([&] {
        const std::string error_text = encode_map({.encoded_map = map,
                                                   .type = type,
                                                   .rank = rank,
                                                   .address = reinterpret_cast<u64>(address),
                                                   .size = size,
                                                   .strides = strides,
                                                   .box = box,
                                                   .element_strides = element_strides,
                                                   .interleave = interleave,
                                                   .swizzle = swizzle,
                                                   .promotion = promotion,
                                                   .fill = fill});
        if (!error_text.empty()) refuse(error_text + ".");
    });
    return call.end_call(error) == cudaSuccess ? cudaSuccess : cudaErrorInvalidValue;
}

namespace {

#ifdef __EMSCRIPTEN__
/// Returns null, because in WebAssembly there are no other libraries.
void* find_in_driver(const char*, unsigned long long) {
    return nullptr;
}
#else
/// Looks up a function with the driver's own cuGetProcAddress. Returns null if the driver's library
/// is missing or is not the simulated one.
void* find_in_driver(const char* symbol, unsigned long long flags) {
    using GetProcAddress = int (*)(const char*, void**, int, unsigned long long, int*);
    static const GetProcAddress get_address = []() -> GetProcAddress {
        void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_GLOBAL);
        if (!library || !dlsym(library, "coalesceDriverIsSimulated")) return nullptr;
        return reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
    }();
    void* function = nullptr;
    int query_result = 0;
    if (get_address) get_address(symbol, &function, 0, flags, &query_result);
    return function;
}
#endif

void find_entry_point(const char* symbol, void** function, unsigned long long flags,
                      cudaDriverEntryPointQueryResult* result) {
    require(symbol && function);
    *function = std::string(symbol) == "cuTensorMapEncodeTiled"
                    ? reinterpret_cast<void*>(coalesceEncodeTensorMap)
                    : find_in_driver(symbol, flags);
    const bool is_found = *function != nullptr;
    if (result)
        *result = is_found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    if (!is_found) {
        explain(std::string("the driver's ") + symbol +
                " is not simulated; the call reports that the function was not found.");
    }
}

}  // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* result) {
    return run_call(__func__, [&] { find_entry_point(symbol, function, flags, result); });
}
COALESCE_PER_THREAD_STREAM(cudaGetDriverEntryPointByVersion, _ptsz);

COALESCE_BY(run_call, cudaGetDriverEntryPoint, find_entry_point, 4);
COALESCE_PER_THREAD_STREAM(cudaGetDriverEntryPoint, _ptsz);
