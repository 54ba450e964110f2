// The way from the runtime to the driver's functions (cuMemAlloc ...). There is no driver here. Of
// its functions one is answered, cuTensorMapEncodeTiled, because programs that use tensor maps have
// no other way to make them; the answer to every other name is that it was not found, in the manner
// in which NVIDIA's library says so.
#include "cudart/api.h"
#include "memory/tensor_map.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// CUresult, as far as it is needed: cuda.h is not there without a toolkit.
enum DriverResult : int { kSuccess = 0, kInvalidValue = 1 };

/// cuTensorMapEncodeTiled. Its enumerations are passed as unsigned numbers.
int encode_tiled(void* map, u32 type, u32 rank, void* address, const u64* size, const u64* strides,
                 const u32* box, const u32* element_strides, u32 interleave, u32 swizzle,
                 u32 promotion, u32 fill) noexcept {
    CurrentCall call("cuTensorMapEncodeTiled");
    try {
        const std::string fault = encode({.map = map,
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
        if (fault.empty()) return kSuccess;
        explain(fault + ".");
        call.end(cudaErrorInvalidValue);
        return kInvalidValue;
    } catch (const std::bad_alloc&) {
        return kInvalidValue;
    }
}

cudaError_t find(const char* symbol, void** function, cudaDriverEntryPointQueryResult* result) {
    if (!symbol || !function) return cudaErrorInvalidValue;
    const bool found = std::string(symbol) == "cuTensorMapEncodeTiled";
    *function = found ? reinterpret_cast<void*>(encode_tiled) : nullptr;
    if (result) *result = found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    if (!found) {
        explain(std::string("the driver's ") + symbol +
                " is not simulated; the program is told that it was not found.");
    }
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
    return answer(__func__, [&] { return find(symbol, function, result); });
}
COALESCE_PER_THREAD_STREAM(cudaGetDriverEntryPointByVersion, _ptsz);

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
    return answer(__func__, [&] { return find(symbol, function, result); });
}
COALESCE_PER_THREAD_STREAM(cudaGetDriverEntryPoint, _ptsz);
