/// \file
/// How fast a kernel is on a real GPU: measured in a process of its own, which whoever waits for it can
/// end. The kernel has passed on the simulated GPU before, and its PTX was looked at.
///
/// No launch can profit from another: each has matrices of its own, with other values, the output is
/// poisoned before it, and every output that was timed is compared bit by bit.
#pragma once

#include <cstdint>
#include <string>

#include "examiner/verdict_codec.h"
#include "harness/device.h"

namespace coalesce::grader {

/// What is to be measured.
struct GpuJob {
    Compiled kernel;         ///< as the judge accepted it
    std::string produces;    ///< as manifests have it
    Shape shape;             ///< of the input
    std::uint64_t seed = 0;  ///< of the inputs
};

/// What was measured.
struct GpuTime {
    std::string problem = "";  ///< why there is no time; "": there is one
    std::string device = "";   ///< its name
    double ms = 0;             ///< the median
    double copy_ms = 0;        ///< of a copy of as many bytes by cudaMemcpy
};

void describe(auto& codec, GpuJob& job) {
    fields(codec, "file", job.kernel.file, "ptx", job.kernel.ptx, "entry", job.kernel.entry,
           "produces", job.produces, "shape", job.shape, "seed", job.seed);
}
void describe(auto& codec, GpuTime& time) {
    fields(codec, "problem", time.problem, "device", time.device, "ms", time.ms, "copy_ms",
           time.copy_ms);
}

/// The GPU of this process, whose command line is `argv`. Throws UsageError when there is
/// none that works.
Device working_gpu(char** argv);
/// Measures on the device in use.
GpuTime time_on(const Device& device, const GpuJob& job);

}  // namespace coalesce::grader
