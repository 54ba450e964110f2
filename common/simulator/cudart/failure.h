// Declares the exception that makes an API call fail, and functions that throw it. The wrapper
// around each call (api.h, driver_support.h) catches the exception and returns its error.
#pragma once

#include <cuda_runtime_api.h>

#include <type_traits>

namespace coalesce::simulator::cudart {

struct Failure {
    cudaError_t error;
};

[[noreturn]] inline void fail(cudaError_t error = cudaErrorInvalidValue) {
    throw Failure{error};
}

/// Fails with `error` unless `condition` is true.
inline void require(bool condition, cudaError_t error = cudaErrorInvalidValue) {
    if (!condition) fail(error);
}

/// Fails with `error`, the result of another call, unless `error` is cudaSuccess.
inline void require_success(cudaError_t error) {
    require(error == cudaSuccess, error);
}

/// Sets `*target` to `value`. Fails if `target` is null.
template <class T>
void store_output(T* target, std::type_identity_t<T> value) {
    require(target);
    *target = value;
}

}  // namespace coalesce::simulator::cudart
