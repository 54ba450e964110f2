// The driver's errors: numbers, names, sentences.
#include <string>

#include "driver/driver.h"

namespace coalesce::sim::driver {

Result result_of(cudaError_t error) {
    switch (error) {
        case cudaErrorInvalidChannelDescriptor:
        case cudaErrorInvalidFilterSetting:
        case cudaErrorInvalidNormSetting:
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidPitchValue:
        case cudaErrorInvalidSymbol:
        case cudaErrorInvalidMemcpyDirection:
        case cudaErrorMissingConfiguration: return kInvalidValue;
        case cudaErrorInvalidDeviceFunction: return kNotFound;
        default: return error;
    }
}

const char* name_of(Result result) {
    switch (result) {
#define COALESCE_RESULT(number, name) \
    case number:                      \
        return #name;
#include "driver/error_names.inc"
#undef COALESCE_RESULT
        default: return nullptr;
    }
}

Result run_as(const char* name, int (*body)(void* data), void* data) {
    // "cuMemAlloc" for cuMemAlloc_v2: programs say the name without the version.
    std::string shown = name;
    const auto version = shown.rfind("_v");
    if (version != shown.npos) shown.erase(version);
    const auto error_name = [](cudaError_t error) {
        const char* known = name_of(result_of(error));
        return known ? known : "an unknown error";
    };
    return result_of(
        static_cast<cudaError_t>(coalesceDriverCall(shown.c_str(), error_name, body, data)));
}

}  // namespace coalesce::sim::driver

using namespace coalesce::sim::driver;

extern "C" {

Result cuGetErrorName(Result error, const char** text) {
    if (!text) return kInvalidValue;
    *text = name_of(error);
    return *text ? kSuccess : kInvalidValue;
}

/// The runtime's sentence: the numbers are the same.
Result cuGetErrorString(Result error, const char** text) {
    if (!text) return kInvalidValue;
    *text = name_of(error) ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
    return *text ? kSuccess : kInvalidValue;
}

}  // extern "C"
