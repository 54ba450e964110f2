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

#include <utility>

#include "cudart/driver_support.h"
#include "cudart/per_thread.h"

namespace coalesce::sim::driver {

/// A CUresult.
using Result = int;
inline constexpr Result kSuccess = 0, kInvalidValue = 1, kNotInitialized = 3, kInvalidDevice = 101,
                        kInvalidContext = 201, kNotFound = 500, kNotSupported = 801;

/// What an error of the runtime is in the driver: the same number, but for those that only the runtime has.
Result result_of(cudaError_t error);
/// "CUDA_ERROR_INVALID_VALUE"; null for a number that is none.
const char* name_of(Result result);

bool is_initialized();
/// kSuccess, or why the calling thread cannot use a device now.
Result check_context();

/// Runs `body`, which returns a Result or a cudaError_t, as the function `name` (__func__).
Result run_as(const char* name, int (*body)(void* data), void* data);

/// A function that needs cuInit alone.
template <class Body>
Result call(const char* name, Body body) {
    const auto guarded = [&]() -> int {
        return is_initialized() ? static_cast<int>(body()) : kNotInitialized;
    };
    return run_as(
        name, [](void* data) { return (*static_cast<decltype(guarded)*>(data))(); },
        const_cast<void*>(static_cast<const void*>(&guarded)));
}

/// A function that needs a current context.
template <class Body>
Result in_context(const char* name, Body body) {
    return call(name, [&]() -> int {
        const Result error = check_context();
        return error != kSuccess ? error : static_cast<int>(body());
    });
}

/// A function that does what one of the runtime does.
template <class... Parameters, class... Arguments>
Result same(const char* name, cudaError_t (*function)(Parameters...), Arguments... arguments) {
    return in_context(name, [&] { return function(arguments...); });
}

/// `*target = value` unless target is null.
template <class T, class Value>
Result give(T* target, Value value) {
    if (!target) return kInvalidValue;
    *target = static_cast<T>(value);
    return kSuccess;
}

}  // namespace coalesce::sim::driver
