// Writes a run's reports when the program ends.
#pragma once

namespace coalesce::simulator {

/// Writes the JSON file, the table and the annotated lines, as the options demand. Called when the
/// process exits; only the first call writes anything. A process that `simulate` has not started
/// itself writes only if it has launched a kernel or reported an error.
void write_exit_report();

/// Starts the trace if the options ask for one. If they ask for a JSON file, the file is also
/// written when a signal ends the process. Must be called when the library is loaded.
void prepare_exit_report();

}  // namespace coalesce::simulator
