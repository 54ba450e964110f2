/// \file
/// `learn watch`: checks a file whenever it is saved.
#pragma once

#include "learn/session.h"

namespace coalesce::learn {

/// The words of the command line.
struct WatchWords {
    Exercise exercise;
    bool polls = false;  ///< looks for changes, whatever the file system
    int seconds = 60;    ///< for each check
};

/// Until q is typed, stdin ends (where it is no terminal), or a signal ends it. Returns the exit code.
int watch(Session& session, const WatchWords& words);

}  // namespace coalesce::learn
