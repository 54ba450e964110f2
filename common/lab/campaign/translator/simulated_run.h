// Runs one kernel of a PTX text on the simulated GPU, and records its counters and the resulting
// memory contents.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/campaign/translator/program.h"
#include "simulator/base/coalesce_simulator.h"

namespace coalesce::random_kernels {

struct Outcome {
    /// The reason why the kernel was rejected or stopped, or the report of a check. It is "" if the
    /// run had no problem.
    std::string problem;
    std::vector<unsigned char> output_memory;
    CoalesceCounters counters{};
    /// Source lines that accessed memory, with their counters.
    std::map<unsigned, CoalesceCounters> lines;
};

/// Reports whether the simulated GPU accepts the PTX.
bool loads_successfully(const std::string& ptx);
Outcome run(const std::string& ptx, const Kernel& kernel);

/// Describes how the memory contents after two runs differ, or why a run failed. Returns "" if the
/// contents are equal.
std::string describe_difference(const Outcome& back_end, const Outcome& translated);
/// Describes the first source line at which the two runs differ in requests, sectors or wavefronts.
/// Returns "" if there is no such line. Ignores the numbers of instructions.
std::string describe_different_counter(const Outcome& back_end, const Outcome& translated);

}  // namespace coalesce::random_kernels
