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

#include <cstddef>
#include <tuple>
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

/// A function that does what one of the runtime does, and one that needs no context for it.
template <class... Parameters, class... Arguments>
Result same(const char* name, cudaError_t (*function)(Parameters...), Arguments... arguments) {
    return in_context(name, [&] { return function(arguments...); });
}
template <class... Parameters, class... Arguments>
Result same_anywhere(const char* name, cudaError_t (*function)(Parameters...),
                     Arguments... arguments) {
    return call(name, [&] { return function(arguments...); });
}

/// The type of a parameter of a function, counted from 0.
template <std::size_t index, class Function>
struct ParameterOf;
template <std::size_t index, class... Parameters>
struct ParameterOf<index, cudaError_t(Parameters...)> {
    using Type = std::tuple_element_t<index, std::tuple<Parameters...>>;
};
template <std::size_t index, class Function>
using Parameter = typename ParameterOf<index, Function>::Type;

/// `*target = value` unless target is null.
template <class T, class Value>
Result give(T* target, Value value) {
    if (!target) return kInvalidValue;
    *target = static_cast<T>(value);
    return kSuccess;
}

}  // namespace coalesce::sim::driver

// ---- functions that take what one of the runtime takes, `count` parameters ----

#define COALESCE_PARAMETERS_0(f)
#define COALESCE_PARAMETERS_1(f) Parameter<0, decltype(f)> a
#define COALESCE_PARAMETERS_2(f) COALESCE_PARAMETERS_1(f), Parameter<1, decltype(f)> b
#define COALESCE_PARAMETERS_3(f) COALESCE_PARAMETERS_2(f), Parameter<2, decltype(f)> c
#define COALESCE_PARAMETERS_4(f) COALESCE_PARAMETERS_3(f), Parameter<3, decltype(f)> d
#define COALESCE_PARAMETERS_5(f) COALESCE_PARAMETERS_4(f), Parameter<4, decltype(f)> e
#define COALESCE_PARAMETERS_6(f) COALESCE_PARAMETERS_5(f), Parameter<5, decltype(f)> g
#define COALESCE_PARAMETERS_7(f) COALESCE_PARAMETERS_6(f), Parameter<6, decltype(f)> h
#define COALESCE_ARGUMENTS_0
#define COALESCE_ARGUMENTS_1 , a
#define COALESCE_ARGUMENTS_2 , a, b
#define COALESCE_ARGUMENTS_3 , a, b, c
#define COALESCE_ARGUMENTS_4 , a, b, c, d
#define COALESCE_ARGUMENTS_5 , a, b, c, d, e
#define COALESCE_ARGUMENTS_6 , a, b, c, d, e, g
#define COALESCE_ARGUMENTS_7 , a, b, c, d, e, g, h

/// `driver` does what `runtime` does, called by `how`: one of the templates above.
#define COALESCE_BY(how, driver, runtime, count)                  \
    Result driver(COALESCE_PARAMETERS_##count(runtime)) {         \
        return how(__func__, runtime COALESCE_ARGUMENTS_##count); \
    }                                                             \
    static_assert(true)
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
