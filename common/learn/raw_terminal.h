/// \file
/// Reads single keys from a terminal, and delivers signals through a descriptor.
#pragma once

#include <termios.h>

namespace coalesce::learn {

/// Switches the terminal on stdin to single keys without echo. Restores it on destruction, and when the process
/// crashes.
class RawTerminal {
public:
    /// Switches the terminal. Does nothing if stdin is not a terminal or belongs to another job.
    RawTerminal();
    ~RawTerminal();
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;

    /// Reports whether keys can be read.
    bool has_keys() const { return is_terminal_; }
    /// Restores the terminal for a while, to read a line or before the process stops.
    void pause();
    /// Switches back to single keys.
    void resume();

private:
    bool is_terminal_ = false;
};

/// Catches SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP and queues them, so that they do not end the process.
class Signals {
public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    /// Returns a descriptor that is readable when a signal is queued, or -1 if no object of this class exists.
    static int descriptor();
    /// Removes the first queued signal and returns it, or 0 if there is none.
    int take();
};

}  // namespace coalesce::learn
