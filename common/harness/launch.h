/// \file
/// A variant's launch.
#pragma once

#include <cuda_runtime_api.h>

#include "harness/device_buffer.h"
#include "harness/options.h"
#include "harness/problem.h"

namespace coalesce {

/// What `variant` is to make of a matrix of that shape, or of an array of as many elements.
Problem problem_at(const Variant& variant, Shape shape);

/// Starts `variant`; whether that went well is not asked yet.
void launch(const Variant& variant, const Problem& problem, float* out, const float* in);
/// ... and waits. cudaSuccess, or why it could not be launched or did not end well.
cudaError_t launch_and_wait(const Variant& variant, const Problem& problem, float* out,
                            const float* in);

/// A variant and memory that nobody fills and nobody looks at: for a time, say.
class BareLaunch {
public:
    BareLaunch(const Variant& variant, Shape shape);
    /// As launch_and_wait.
    cudaError_t run() const;
    const DeviceBuffer& in() const { return in_; }

private:
    const Variant& variant_;
    const Problem problem_;
    const DeviceBuffer in_, out_;
};

}  // namespace coalesce
