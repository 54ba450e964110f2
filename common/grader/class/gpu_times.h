/// \file
/// Measures times on a real GPU, in addition to the grades. The times do not affect the points.
/// Only kernels that are correct on the simulated GPU are measured.
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
    std::string student;   ///< the student's name, as raw bytes
    std::string exercise;  ///< such as "03_tiled"
    GpuTime time;
    double moved_bytes = 0;  ///< bytes that a launch reads and writes
};

/// Returns the contents of times.csv.
std::string times_csv(const std::vector<MeasuredTime>& times);

/// Measures each kernel on this computer's GPU, in a child process, and writes times.csv. If there
/// is no GPU, prints a message and writes nothing. Throws InfrastructureError if the GPU stops
/// responding.
void measure_gpu_times(const Assignment& assignment, const ClassResults& results,
                       std::optional<Tier> tier, std::ostream& out);

}  // namespace coalesce::grader
