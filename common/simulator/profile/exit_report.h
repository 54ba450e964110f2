// Writes a run's reports when the program ends.
#pragma once

namespace coalesce::simulator {

/// Writes the JSON file, the table and the annotated lines that options() request. Called when the
/// process exits; only the first call writes anything. COALESCE_SIM_PID is the ID of the process
/// that `simulate` has started. Any other process writes its output only if it has launched a
/// kernel or has a report.
void write_exit_report();

/// If options() asks for a JSON file, ensures that the file is written even if a signal ends the
/// process, and that the counters of a forked process start at zero. Must be called when the
/// library is loaded.
void prepare_exit_report();

}  // namespace coalesce::simulator
