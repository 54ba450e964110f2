// Implements the driver's errors: their numbers, names and descriptions.
#include <string>

#include "simulator/addons/driver/driver.h"

namespace coalesce::simulator::driver {

Result to_driver_result(cudaError_t error) {
    switch (error) {
        case cudaErrorInvalidChannelDescriptor:
        case cudaErrorInvalidFilterSetting:
        case cudaErrorInvalidNormSetting:
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidPitchValue:
        case cudaErrorInvalidSymbol:
        case cudaErrorInvalidMemcpyDirection:
        case cudaErrorMissingConfiguration: return cudaErrorInvalidValue;
        case cudaErrorInvalidDeviceFunction: return kNotFound;
        default: return error;
    }
}

const char* name_of(Result result) {
    switch (static_cast<int>(result)) {
#define COALESCE_RESULT(number, name) \
    case number:                      \
        return #name;
#include "simulator/addons/driver/error_names.inc"
#undef COALESCE_RESULT
        default: return nullptr;
    }
}

Result call(const char* name, const std::function<void()>& body) {
    // Strip the version suffix: programs write "cuMemAlloc", not "cuMemAlloc_v2".
    std::string shown = name;
    const auto version = shown.rfind("_v");
    if (version != shown.npos) shown.erase(version);
    const auto error_name = [](cudaError_t error) {
        const char* known = name_of(to_driver_result(error));
        return known ? known : "an unknown error";
    };
    return to_driver_result(coalesceDriverCall(shown.c_str(), error_name, [&] {
        require(is_initialized(), kNotInitialized);
        body();
    }));
}

Result call_with_context(const char* name, const std::function<void()>& body) {
    return call(name, [&] {
        check_context();
        body();
    });
}

}  // namespace coalesce::simulator::driver

using namespace coalesce::simulator::driver;

extern "C" {

Result cuGetErrorName(Result error, const char** text) {
    if (!text) return cudaErrorInvalidValue;
    *text = name_of(error);
    return *text ? cudaSuccess : cudaErrorInvalidValue;
}

/// Returns the runtime's description, because the driver and the runtime use the same error
/// numbers.
Result cuGetErrorString(Result error, const char** text) {
    if (!text) return cudaErrorInvalidValue;
    *text = name_of(error) ? cudaGetErrorString(error) : nullptr;
    return *text ? cudaSuccess : cudaErrorInvalidValue;
}

}  // extern "C"
