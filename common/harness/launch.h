/// \file
/// A variant's launch.
#pragma once

#include <cuda_runtime_api.h>

#include "harness/options.h"
#include "harness/verify.h"

namespace coalesce {

/// What `variant` is to make of a matrix of that shape, or of an array of as many elements.
Problem problem_at(const Variant& variant, Shape shape);

/// Starts `variant`; whether that went well is not asked yet.
void launch(const Variant& variant, const VerifiedBuffers& buffers);
/// ... and waits. cudaSuccess, or why it could not be launched or did not end well.
cudaError_t launch_and_wait(const Variant& variant, const VerifiedBuffers& buffers);

}  // namespace coalesce
