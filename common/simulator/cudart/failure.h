// How a call fails: whatever finds that it cannot go on throws, and what surrounds the call (api.h; for the stand-ins
// for the driver's library and cuBLAS, driver_support.h) makes the error of it that the call returns.
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

/// Fails unless `condition` holds.
inline void need(bool condition, cudaError_t error = cudaErrorInvalidValue) {
    if (!condition) fail(error);
}

/// Fails as another call did.
inline void must(cudaError_t error) {
    need(error == cudaSuccess, error);
}

/// `*target = value`; fails where target is null.
template <class T>
void give(T* target, std::type_identity_t<T> value) {
    need(target);
    *target = value;
}

}  // namespace coalesce::simulator::cudart
