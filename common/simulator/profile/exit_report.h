// Writes a run's reports when the program ends.
#pragma once

namespace coalesce::simulator {

/// Writes those reports that the options request: the trace, the JSON file, the table and the
/// annotated lines. Called when the process exits; only the first call writes anything. A process
/// that `simulate` has not started itself writes reports only if it has launched a kernel or
/// reported an error.
void write_exit_report();

/// Starts the trace if the options request one. If the options request a JSON file, ensures that
/// the file is also written when a signal ends the process. Must be called when the library is
/// loaded.
void prepare_exit_report();

}  // namespace coalesce::simulator
