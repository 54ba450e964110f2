/// \file
/// Measures a kernel on a real GPU, in a child process that the caller can kill. The kernel has
/// already passed on the simulated GPU, and its PTX has been inspected.
///
/// Each launch has its own matrices with different values, so a launch cannot reuse the results of
/// another one. The output is poisoned before each launch, and compared bit for bit after each
/// timed launch.
#pragma once

#include <cstdint>
#include <string>

#include "examiner/verdict_codec.h"
#include "harness/device.h"

namespace coalesce::grader {

/// The kernel to measure.
struct GpuJob {
    Compiled kernel;  ///< the kernel that the judge accepted
    /// the kind of result that the exercise requires: a name in kTasks
    std::string produces;
    Shape shape;             ///< shape of the input
    std::uint64_t seed = 0;  ///< seed of the inputs
};

/// The measured times.
struct GpuTime {
    std::string problem = "";  ///< the reason why no time was measured, or ""
    std::string device = "";
    double ms = 0;       ///< median time of the launches
    double copy_ms = 0;  ///< median time of a cudaMemcpy of the same number of bytes
};

void describe(auto& codec, GpuJob& job) {
    fields(codec, "file", job.kernel.file, "ptx", job.kernel.ptx, "entry", job.kernel.entry,
           "produces", job.produces, "shape", job.shape, "seed", job.seed);
}
void describe(auto& codec, GpuTime& time) {
    fields(codec, "problem", time.problem, "device", time.device, "ms", time.ms, "copy_ms",
           time.copy_ms);
}

/// Returns the GPU that this process uses. `argv` is the command line of the process. Throws
/// UsageError if there is no usable GPU.
Device require_gpu(char** argv);
/// Measures the kernel on `device`, which must be the current device.
GpuTime measure_on_device(const Device& device, const GpuJob& job);

}  // namespace coalesce::grader
