// Writes the output at the end of a run.
#pragma once

namespace coalesce::simulator {

/// Writes what options() request: the JSON file, the table, the annotated lines. The library that
/// the program is linked with calls this at the end of the process. Only the first call writes. A
/// process that another one has started (COALESCE_SIM_PID names the first) writes only if it has
/// launched a kernel, or has a report.
void write_exit_report();

/// Call this when the library is loaded. If there is to be a JSON file, it is then also written when
/// a signal ends the process. In processes that this one forks, counters start at zero.
void prepare_exit_report();

}  // namespace coalesce::simulator
