// Declares the helpers shared by all functions in our replacement for NVIDIA's driver library.
//
// Theory of operation
//   Programs that use the driver API (cuInit, cuModuleLoad, cuLaunchKernel ...) are linked with
//   libcuda.so.1. Our version of this library manages contexts and error names, and converts
//   parameters. The functions of the runtime in libcudart.so.13, which is the simulated GPU, do the
//   work. Both libraries use the same handles: a CUstream is a cudaStream_t, a CUmodule is a
//   cudaLibrary_t, a CUfunction or CUkernel is a cudaKernel_t, and a CUdeviceptr is a pointer
//   stored as a number. With few exceptions, errors and attributes also have the same numbers in
//   both APIs. The types are those of the runtime, because cuda.h comes only with a toolkit. Only
//   pointers and numbers are passed between the two libraries.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "simulator/cudart/driver_support.h"
#include "simulator/cudart/failure.h"
#include "simulator/cudart/parameters.h"
#include "simulator/cudart/per_thread.h"

namespace coalesce::simulator::driver {

using cudart::Failure, cudart::fail, cudart::store_output, cudart::require_success, cudart::require;

/// A result code of the driver (CUresult). Each code has the same number as the corresponding
/// cudaError_t, but some codes have different names.
using Result = cudaError_t;
inline constexpr Result kNotInitialized = cudaErrorInitializationError,
                        kInvalidContext = cudaErrorDeviceUninitialized,
                        kNotFound = cudaErrorSymbolNotFound;

/// Converts a runtime error to a driver error. The number stays the same, unless the error does not
/// exist in the driver API.
Result to_driver_result(cudaError_t error);
/// Returns the name of a result, such as "CUDA_ERROR_INVALID_VALUE", or null for an unknown value.
const char* result_name(Result result);

/// Reports whether the program has called cuInit.
bool is_initialized();
/// Fails if the calling thread has no valid current context.
void check_context();
void check_device(int device);

/// Runs `body` for a driver function that requires cuInit but no context. `name` is the __func__ of
/// the driver function.
Result run_driver_call(const char* name, const std::function<void()>& body);

/// Runs `body` for a driver function that requires a current context. `name` is the __func__ of the
/// driver function.
Result call_with_context(const char* name, const std::function<void()>& body);

/// Implements the driver function `name` by calling `function`, its counterpart in the runtime.
/// `forward_with_context` requires a current context; `forward_without_context` does not.
template <class... Parameters, class... Arguments>
Result forward_with_context(const char* name, cudaError_t (*function)(Parameters...),
                            Arguments... arguments) {
    return call_with_context(name, [&] { require_success(function(arguments...)); });
}
template <class... Parameters, class... Arguments>
Result forward_without_context(const char* name, cudaError_t (*function)(Parameters...),
                               Arguments... arguments) {
    return run_driver_call(name, [&] { require_success(function(arguments...)); });
}

}  // namespace coalesce::simulator::driver

// ---- driver functions with the same parameters as a runtime function; `count` is the number of
// parameters ----

#define COALESCE_SAME_ANYWHERE(driver, runtime, count) \
    COALESCE_BY(forward_without_context, driver, runtime, count)
#define COALESCE_SAME(driver, runtime, count) \
    COALESCE_BY(forward_with_context, driver, runtime, count)
/// Defines the function `driver`, which calls `runtime`, and its variant for per-thread default
/// streams (cudart/per_thread.h).
#define COALESCE_SAME_IN_STREAM(driver, runtime, count) \
    COALESCE_SAME(driver, runtime, count);              \
    COALESCE_PER_THREAD_STREAM(driver, _ptsz)
#define COALESCE_SAME_AT_ONCE(driver, runtime, count) \
    COALESCE_SAME(driver, runtime, count);            \
    COALESCE_PER_THREAD_STREAM(driver, _ptds)
