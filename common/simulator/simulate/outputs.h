// Writes the files that the command line of `simulate` asks for.
#pragma once

#include <vector>

#include "simulator/simulate/command_line.h"
#include "simulator/simulate/comparison.h"
#include "simulator/simulate/finding.h"
#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

/// Empties all files that will be written, so that an old one cannot be mistaken for one from this
/// run. Throws CanNotRun if a file cannot be written.
void prepare_outputs(const CommandLine& line);

/// Writes the files, and prints the annotations. `comparison` may be null.
void write_outputs(const CommandLine& line, const std::vector<Finding>& findings, const Json& run,
                   const Comparison* comparison);

/// Returns what a budget's check has found as text for a terminal.
std::string budget_text(const std::vector<Finding>& findings);

}  // namespace coalesce::simulator
