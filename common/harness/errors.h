/// \file
/// The one place that checks CUDA calls.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "base/errors.h"

namespace coalesce {

/// A call of the CUDA runtime failed. The message has the place, the call, the error's name and
/// meaning, and what to do.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What somebody who sees `error` should do next; a sentence.
std::string advice_for(cudaError_t error);

/// Throws a CudaError unless `error` is cudaSuccess. Called through CUDA_CHECK.
void check_cuda(cudaError_t error, const char* call, const char* file, int line);

}  // namespace coalesce

/// Makes a call of the CUDA runtime and throws coalesce::CudaError when it fails; in every build.
#define CUDA_CHECK(call) ::coalesce::check_cuda((call), #call, __FILE__, __LINE__)
