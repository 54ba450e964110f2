/// \file
/// CUDA events and streams that are destroyed automatically.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "harness/errors.h"

namespace coalesce {

/// A deleter for events and streams. It ignores errors, because they come from an earlier call or
/// kernel and have already been reported.
struct Destroy {
    void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
    void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
using OwnEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy>;
using OwnStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy>;

/// Creates an event. Throws CudaError.
inline OwnEvent create_event(unsigned flags = cudaEventDefault) {
    cudaEvent_t event = nullptr;
    CUDA_CHECK(cudaEventCreateWithFlags(&event, flags));
    return OwnEvent(event);
}

}  // namespace coalesce
