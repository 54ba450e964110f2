// Writes the output at the end of a run.
#pragma once

namespace coalesce::simulator {

/// Writes what options() request: the JSON file, the table, the annotated lines. The library that
/// the program is linked with calls this once, at the end of the process. Writes nothing if nothing
/// was requested. If COALESCE_SIM_PID names the process, then processes forked by it, and programs
/// started by it, write only their reports, to the JSON file's name followed by "." and their
/// process ID.
void write_exit_report();

}  // namespace coalesce::simulator
