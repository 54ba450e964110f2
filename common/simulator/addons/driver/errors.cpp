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

const char* result_name(Result result) {
    switch (static_cast<int>(result)) {
#define COALESCE_RESULT(number, name) \
    case number:                      \
        return #name;
#include "simulator/addons/driver/error_names.inc"
#undef COALESCE_RESULT
        default: return nullptr;
    }
}

Result run_driver_call(const char* name, const std::function<void()>& body) {
    // Strip the version suffix: programs write "cuMemAlloc", not "cuMemAlloc_v2".
    std::string name_without_version = name;
    const auto version = name_without_version.rfind("_v");
    if (version != name_without_version.npos) name_without_version.erase(version);
    const auto error_name = [](cudaError_t error) {
        const char* error_text = result_name(to_driver_result(error));
        return error_text ? error_text : "an unknown error";
    };
    return to_driver_result(coalesceDriverCall(name_without_version.c_str(), error_name, [&] {
        require(is_initialized(), kNotInitialized);
        body();
    }));
}

Result call_with_context(const char* name, const std::function<void()>& body) {
    return run_driver_call(name, [&] {
        check_context();
        body();
    });
}

}  // namespace coalesce::simulator::driver

using namespace coalesce::simulator::driver;

extern "C" {

Result cuGetErrorName(Result error, const char** text) {
    if (!text) return cudaErrorInvalidValue;
    *text = result_name(error);
    return *text ? cudaSuccess : cudaErrorInvalidValue;
}

/// Returns the runtime's description, because the driver and the runtime use the same error
/// numbers.
Result cuGetErrorString(Result error, const char** text) {
    if (!text) return cudaErrorInvalidValue;
    *text = result_name(error) ? cudaGetErrorString(error) : nullptr;
    return *text ? cudaSuccess : cudaErrorInvalidValue;
}

}  // extern "C"
