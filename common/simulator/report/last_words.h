// Lets a process write its report before a signal ends it.
#pragma once

#include <signal.h>

namespace coalesce::simulator {

/// From now on, a signal that would end this process calls `write_report` first, and then ends the
/// process as it would have without this call. Signals that the program handles or ignores itself
/// are left alone. Processes that this one forks are not watched.
void watch_for_signals(void (*write_report)());

/// Reports whether `action` is the one that watch_for_signals() has installed.
bool is_watched(const struct sigaction& action);

}  // namespace coalesce::simulator
