/// \file
/// `learn watch`: checks a file whenever it is saved.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// The words of the command line.
struct WatchWords {
    Work exercise;
    bool polls = false;  ///< looks for changes, whatever the file system
    int seconds = 60;    ///< for each check
};

/// What comes next, besides a save.
enum class WatchWaits {
    for_a_save,   ///< nothing
    for_a_guess,  ///< what it costs is to be predicted before it is shown
    to_go_back,   ///< the screen shows something else than the verdict
};

/// The lines at the foot of the screen, of 80 columns at most: an empty one, what is waited for, and
/// the keys, where there are keys.
std::string watch_footer(const Work& exercise, const std::string& time, bool has_keys,
                         WatchWaits waits);
/// How many lines of a terminal that footer takes: a verdict has the rest.
inline constexpr int kLinesOfWatchFooter = 3;

/// Until q is typed, stdin ends (where it is no terminal), or a signal ends it. Returns the exit code.
int watch(Session& session, const WatchWords& words);

}  // namespace coalesce::learn
