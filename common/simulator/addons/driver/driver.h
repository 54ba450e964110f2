// The basis of all functions of the driver's replacement.
//
// Theory of operation
//   Programs of the driver API (cuInit, cuModuleLoad, cuLaunchKernel ...) are linked with libcuda.so.1. Ours manages
//   contexts and the names of errors, and converts parameters. The work is done by the runtime's functions in
//   libcudart.so.13, which is the simulated GPU. Handles are the same on both sides: a CUstream is a cudaStream_t, a
//   CUmodule a cudaLibrary_t, a CUfunction and a CUkernel a cudaKernel_t, and a CUdeviceptr the number of a pointer.
//   With few exceptions, the numbers of errors and attributes are the same too.
//   The types are the runtime's and not those of cuda.h, which exists only with a toolkit. Only pointers and numbers
//   cross the boundary.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "simulator/cudart/driver_support.h"
#include "simulator/cudart/failure.h"
#include "simulator/cudart/parameters.h"
#include "simulator/cudart/per_thread.h"

namespace coalesce::simulator::driver {

using cudart::Failure, cudart::fail, cudart::give, cudart::must, cudart::need;

/// A CUresult. Its numbers are the runtime's, but some of its names differ.
using Result = cudaError_t;
inline constexpr Result kNotInitialized = cudaErrorInitializationError,
                        kInvalidContext = cudaErrorDeviceUninitialized,
                        kNotFound = cudaErrorSymbolNotFound;

/// Converts a runtime error to the driver's. The number is the same, except for errors that only
/// the runtime has.
Result result_of(cudaError_t error);
/// Returns "CUDA_ERROR_INVALID_VALUE", for example, or null for an unknown number.
const char* name_of(Result result);

/// Reports whether cuInit was called.
bool is_initialized();
/// Fails if the calling thread cannot use a device now.
void check_context();
void check_device(int device);

/// A function that needs only cuInit. `name` is __func__.
Result call(const char* name, const std::function<void()>& body);

/// A function that needs a current context.
Result in_context(const char* name, const std::function<void()>& body);

/// Functions that do the same as one of the runtime, with and without a context.
template <class... Parameters, class... Arguments>
Result same(const char* name, cudaError_t (*function)(Parameters...), Arguments... arguments) {
    return in_context(name, [&] { must(function(arguments...)); });
}
template <class... Parameters, class... Arguments>
Result same_anywhere(const char* name, cudaError_t (*function)(Parameters...),
                     Arguments... arguments) {
    return call(name, [&] { must(function(arguments...)); });
}

}  // namespace coalesce::simulator::driver

// ---- functions with the same `count` parameters as one of the runtime ----

#define COALESCE_SAME_ANYWHERE(driver, runtime, count) \
    COALESCE_BY(same_anywhere, driver, runtime, count)
#define COALESCE_SAME(driver, runtime, count) COALESCE_BY(same, driver, runtime, count)
/// Defines both names of the function: see cudart/per_thread.h.
#define COALESCE_SAME_IN_STREAM(driver, runtime, count) \
    COALESCE_SAME(driver, runtime, count);              \
    COALESCE_PER_THREAD_STREAM(driver, _ptsz)
#define COALESCE_SAME_AT_ONCE(driver, runtime, count) \
    COALESCE_SAME(driver, runtime, count);            \
    COALESCE_PER_THREAD_STREAM(driver, _ptds)
