/// \file
/// Reads single keys from a terminal, and delivers signals through a descriptor.
#pragma once

#include <termios.h>

namespace coalesce::learn {

/// Makes the terminal on stdin deliver single keys without echo. The terminal is restored by the
/// destructor, and also if the process crashes.
class RawTerminal {
public:
    /// Switches the terminal to single keys. Does nothing if stdin is not a terminal or if another
    /// job is using the terminal.
    RawTerminal();
    ~RawTerminal();
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;

    /// Reports whether single keys can be read from stdin.
    bool has_keys() const { return is_terminal_; }
    /// Restores the terminal temporarily, for example to read a line.
    void pause();
    /// Switches back to single keys.
    void resume();

private:
    bool is_terminal_ = false;
};

/// Catches SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP, and queues them instead of letting them
/// end the process.
class Signals {
public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    /// Returns a descriptor that is readable while a signal is queued. Returns -1 if no Signals
    /// object exists.
    static int descriptor();
    /// Removes the first signal from the queue and returns it. Returns 0 if the queue is empty.
    int take_signal();
};

}  // namespace coalesce::learn
