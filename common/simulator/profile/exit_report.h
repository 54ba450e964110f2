// Writes the output at the end of a run.
#pragma once

namespace coalesce::simulator {

/// Writes the JSON file, the table and the annotated lines, as far as options() request them. The
/// library that the program is linked with calls this at the end of the process. Only the first
/// call writes. COALESCE_SIM_PID names the process that `simulate` has started. Any other process
/// writes its output only if it has launched a kernel or has a report.
void write_exit_report();

/// If options() request a JSON file, ensures that it is also written when a signal ends the
/// process, and that counters start at zero in processes that this process forks. Must be called
/// when the library is loaded.
void prepare_exit_report();

}  // namespace coalesce::simulator
