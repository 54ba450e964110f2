/// \file
/// Checks the results of CUDA calls.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "base/errors.h"

namespace coalesce {

/// A failed call to the CUDA runtime. The message contains the source line, the call, the error
/// code with an explanation, and advice on how to fix the problem.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Returns advice on how to fix this error, as a sentence.
std::string advice_for_error(cudaError_t error);

/// Throws a CudaError unless `error` is cudaSuccess. Do not call this function directly; use
/// CUDA_CHECK.
void check_cuda(cudaError_t error, const char* call, const char* file, int line);

}  // namespace coalesce

/// Calls a function of the CUDA runtime, and throws coalesce::CudaError if the call fails. The
/// result is checked in release builds too.
#define CUDA_CHECK(call) ::coalesce::check_cuda((call), #call, __FILE__, __LINE__)
