// What a run leaves behind when its program ends.
#pragma once

namespace coalesce::simulator {

/// Writes what options() ask for: the JSON file, the table, the annotated lines. To be called once,
/// at the end of the process, by the face that the program sees. Prints nothing when nothing was
/// asked for. A child that the program forked, or another program that it started, writes nothing
/// when COALESCE_SIM_PID names the process that is meant.
void write_exit_report();

}  // namespace coalesce::simulator
