// The way from the runtime to the driver's functions (cuMemAlloc ...). There is no driver here, and
// the answer to every name is that it was not found, in the manner in which NVIDIA's library says
// so.
#include "cudart/api.h"

using namespace coalesce::sim::cudart;

namespace {

cudaError_t not_found(const char* symbol, void** function,
                      cudaDriverEntryPointQueryResult* result) {
    if (!symbol || !function) return cudaErrorInvalidValue;
    explain(std::string("the driver's ") + symbol +
            " is not simulated; the program is told that it was not found.");
    *function = nullptr;
    if (result) *result = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
    return answer(__func__, [&] { return not_found(symbol, function, result); });
}
COALESCE_PER_THREAD_STREAM(cudaGetDriverEntryPointByVersion, _ptsz);

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
    return answer(__func__, [&] { return not_found(symbol, function, result); });
}
COALESCE_PER_THREAD_STREAM(cudaGetDriverEntryPoint, _ptsz);
