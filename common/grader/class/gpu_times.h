/// \file
/// Times on a real GPU, in addition to the grades: of what is right on the simulated one, and without
/// any point for it.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "grader/class/results.h"
#include "grader/judge/gpu_timer.h"

namespace coalesce::grader {

/// A row of times.csv.
struct MeasuredTime {
    std::string student;   ///< bytes as they came
    std::string exercise;  ///< "03_tiled"
    GpuTime time;
    double bytes = 0;  ///< that a launch reads and writes
};

/// times.csv.
std::string times_csv(const std::vector<MeasuredTime>& times);

/// Measures with the GPU of this computer, each kernel in a process of its own, this program's `time JOB`,
/// and writes times.csv beside the grades. Where there is no GPU it says so and writes nothing. Throws
/// Infrastructure when the GPU does not answer any more.
void measure_class(const Assignment& assignment, const ClassResults& results,
                   std::optional<Tier> tier, std::ostream& out);

}  // namespace coalesce::grader
