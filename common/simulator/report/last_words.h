// Lets a process write its report before a signal ends it.
#pragma once

#include <signal.h>

namespace coalesce::simulator {

/// Ensures that a signal that would end this process calls `write_report` before the process ends.
/// The process then ends as it would have without this call. Does not change signals that the
/// program handles or ignores, or affect processes that this process forks.
void watch_for_signals(void (*write_report)());

/// Reports whether `action` is the signal action that watch_for_signals() has installed.
bool is_watched(const struct sigaction& action);

}  // namespace coalesce::simulator
