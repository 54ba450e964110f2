/// \file
/// Checks the results of CUDA calls.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "base/errors.h"

namespace coalesce {

/// A failed call of the CUDA runtime. The message says where, which call, which error and what it
/// means, and what to do.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Returns a sentence about what to do after this error.
std::string advice_for(cudaError_t error);

/// Throws a CudaError unless `error` is cudaSuccess. Use CUDA_CHECK to call this.
void check_cuda(cudaError_t error, const char* call, const char* file, int line);

}  // namespace coalesce

/// Calls a function of the CUDA runtime, and throws coalesce::CudaError if it fails, also in
/// release builds.
#define CUDA_CHECK(call) ::coalesce::check_cuda((call), #call, __FILE__, __LINE__)
