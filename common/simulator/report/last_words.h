// Lets a process write its report before a signal ends it.
#pragma once

#include <signal.h>

namespace coalesce::simulator {

/// Installs signal handlers that call `write_report` before a signal ends this process. Signals
/// that the program handles or ignores are not affected. Processes forked from this process do not
/// write a report.
void watch_for_signals(void (*write_report)());

/// Reports whether `action` is the signal action that watch_for_signals() has installed.
bool is_watched(const struct sigaction& action);

}  // namespace coalesce::simulator
