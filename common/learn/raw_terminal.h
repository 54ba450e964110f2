/// \file
/// Single keys from a terminal, and signals as something to wait for.
#pragma once

#include <termios.h>

namespace coalesce::learn {

/// The terminal on stdin gives keys as they are typed, unseen. As it was again when this object goes,
/// and when the process crashes.
class RawTerminal {
public:
    /// Does nothing where stdin is no terminal, or belongs to another job.
    RawTerminal();
    ~RawTerminal();
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;

    /// Whether there are keys to be had.
    bool has_keys() const { return is_terminal_; }
    /// As it was: to ask for a line, or to be stopped.
    void pause();
    /// Keys again.
    void resume();

private:
    bool is_terminal_ = false;
};

/// SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP are written down instead of ending the process.
class Signals {
public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    /// Readable when there was a signal; -1 while nobody writes them down.
    static int descriptor();
    /// The first one not yet taken; 0: none.
    int take();
};

}  // namespace coalesce::learn
