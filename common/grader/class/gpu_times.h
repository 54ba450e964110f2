/// \file
/// Times on a real GPU, in addition to the grades: of what is right on the simulated one, and without
/// any point for it.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// A row of times.csv.
struct MeasuredTime {
    std::string student;   ///< bytes as they came
    std::string exercise;  ///< "03_tiled"
    std::string note;      ///< why there is no time; "": there is one
    std::string device;    ///< the GPU
    double ms = 0;         ///< a launch takes
    double gbps = 0;       ///< bytes read and written, in 10^9 per second
    double of_copy = 0;    ///< the share of a copy's bandwidth
};

/// times.csv.
std::string times_csv(const std::vector<MeasuredTime>& times);

/// Measures with the GPU of this computer, each kernel in a process of its own, `program` time JOB,
/// and writes times.csv beside the grades. Where there is no GPU it says so and writes nothing. Throws
/// Infrastructure when the GPU does not answer any more.
void measure_class(const Assignment& assignment, const ClassResults& results,
                   std::optional<Tier> tier, const std::string& program, std::ostream& out);

}  // namespace coalesce::grader
