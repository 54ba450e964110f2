/// \file
/// Launches a variant.
#pragma once

#include <cuda_runtime_api.h>

#include "harness/device_buffer.h"
#include "harness/options.h"
#include "harness/problem.h"

namespace coalesce {

/// Returns the task of `variant` for a matrix of this shape. If the variant permutes axes, the
/// task's array comes from find_array() (shapes.h).
Problem problem_for_shape(const Variant& variant, Shape shape);

/// Launches `variant` without checking for errors.
void launch(const Variant& variant, const Problem& problem, float* out, const float* in);
/// Launches `variant` and waits until it ends. Returns cudaSuccess, or the error of the launch or
/// of the kernel.
cudaError_t launch_and_wait(const Variant& variant, const Problem& problem, float* out,
                            const float* in);

/// A variant and its buffers, for launches whose output does not matter, such as time measurements.
/// The buffers are neither initialized nor checked.
class BareLaunch {
public:
    BareLaunch(const Variant& variant, Shape shape);
    /// Launches the variant and waits until it ends, like `launch_and_wait`.
    cudaError_t run() const;
    const DeviceBuffer& in() const { return in_; }

private:
    const Variant& variant_;
    const Problem problem_;
    const DeviceBuffer in_, out_;
};

}  // namespace coalesce
