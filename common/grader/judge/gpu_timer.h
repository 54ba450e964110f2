/// \file
/// Measures a kernel on a real GPU, in a child process that the caller can kill. The kernel has
/// passed on the simulated GPU, and its PTX has been inspected.
///
/// A launch cannot reuse the results of another. Each launch has its own matrices with different
/// values, its output is poisoned beforehand, and every timed output is compared bit by bit.
#pragma once

#include <cstdint>
#include <string>

#include "examiner/verdict_codec.h"
#include "harness/device.h"

namespace coalesce::grader {

/// The kernel to measure.
struct GpuJob {
    Compiled kernel;         ///< the kernel, as accepted by the judge
    std::string produces;    ///< the required result, as in manifests
    Shape shape;             ///< shape of the input
    std::uint64_t seed = 0;  ///< seed of the inputs
};

/// The measured times.
struct GpuTime {
    std::string problem = "";  ///< why there is no time, or ""
    std::string device = "";   ///< name of the device
    double ms = 0;             ///< median time of the launches
    double copy_ms = 0;        ///< median time of a cudaMemcpy of the same size
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
/// UsageError if no GPU works.
Device require_gpu(char** argv);
/// Measures the kernel on `device`, which must be the current device.
GpuTime time_on(const Device& device, const GpuJob& job);

}  // namespace coalesce::grader
