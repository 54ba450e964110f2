// What every function of the driver's stand-in is made of.
//
// Theory of operation
//   libcuda.so.1 is what programs of the driver API (cuInit, cuModuleLoad, cuLaunchKernel ...) are linked
//   to. Ours holds contexts, names of errors, and the shapes in which the driver takes its parameters; the
//   work is done by the runtime's functions in libcudart.so.13, which is the simulated GPU. Handles are the
//   same things on both sides: a CUstream is a cudaStream_t, a CUmodule a cudaLibrary_t, a CUfunction and a
//   CUkernel a cudaKernel_t, and a CUdeviceptr the number of a pointer. So are, with few exceptions, the
//   numbers of errors and attributes.
//   Types are the runtime's, not those of cuda.h, which is not there without a toolkit: what crosses the
//   boundary are pointers and numbers.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "simulator/cudart/driver_support.h"
#include "simulator/cudart/failure.h"
#include "simulator/cudart/parameters.h"
#include "simulator/cudart/per_thread.h"

namespace coalesce::simulator::driver {

using cudart::Failure, cudart::fail, cudart::give, cudart::must, cudart::need;

/// A CUresult: the numbers are the runtime's, some of the names are not.
using Result = cudaError_t;
inline constexpr Result kNotInitialized = cudaErrorInitializationError,
                        kInvalidContext = cudaErrorDeviceUninitialized,
                        kNotFound = cudaErrorSymbolNotFound;

/// What an error of the runtime is in the driver: the same number, but for those that only the runtime has.
Result result_of(cudaError_t error);
/// "CUDA_ERROR_INVALID_VALUE"; null for a number that is none.
const char* name_of(Result result);

/// Whether cuInit was called.
bool is_initialized();
/// Fails where the calling thread cannot use a device now.
void check_context();
void check_device(int device);

/// A function that needs cuInit alone; `name`: __func__.
Result call(const char* name, const std::function<void()>& body);

/// A function that needs a current context.
Result in_context(const char* name, const std::function<void()>& body);

/// A function that does what one of the runtime does, and one that needs no context for it.
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

// ---- functions that take what one of the runtime takes, `count` parameters ----

#define COALESCE_SAME_ANYWHERE(driver, runtime, count) \
    COALESCE_BY(same_anywhere, driver, runtime, count)
#define COALESCE_SAME(driver, runtime, count) COALESCE_BY(same, driver, runtime, count)
/// ... and has two names: see cudart/per_thread.h.
#define COALESCE_SAME_IN_STREAM(driver, runtime, count) \
    COALESCE_SAME(driver, runtime, count);              \
    COALESCE_PER_THREAD_STREAM(driver, _ptsz)
#define COALESCE_SAME_AT_ONCE(driver, runtime, count) \
    COALESCE_SAME(driver, runtime, count);            \
    COALESCE_PER_THREAD_STREAM(driver, _ptds)
