// Writes the files that the command line of `simulate` requests.
#pragma once

#include <vector>

#include "simulator/simulate/command_line.h"
#include "simulator/simulate/comparison.h"
#include "simulator/simulate/finding.h"
#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

/// Empties all output files before the run, so that an old file is not mistaken for an output of
/// this run. Throws CanNotRun if a file cannot be written.
void prepare_outputs(const CommandLine& line);

/// Writes all requested files and prints the requested annotations. `comparison` is null if the run
/// is not compared with an earlier run.
void write_outputs(const CommandLine& line, const std::vector<Finding>& findings, const Json& run,
                   const Comparison* comparison);

}  // namespace coalesce::simulator
