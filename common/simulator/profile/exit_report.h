// Writes a run's reports when the program ends.
#pragma once

namespace coalesce::simulator {

/// Writes the output that the options ask for: the JSON file, the table, the annotated lines.
/// Called when the process exits; only the first call writes anything. COALESCE_SIM_PID is the ID
/// of the process that `simulate` has started. Any other process writes its output only if it has
/// launched a kernel or reported an error.
void write_exit_report();

/// Starts the trace if the options ask for one. If they ask for a JSON file, ensures that it is
/// also written if a signal ends the process, and that the counters of a forked process start at
/// zero. Must be called when the library is loaded.
void prepare_exit_report();

}  // namespace coalesce::simulator
