#include "learn/raw_terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>

namespace coalesce::learn {
namespace {

constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE};
constexpr int kQueuedSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};

// The signal handlers use these variables, so they must never be destroyed.
termios original_terminal_settings = {};
int signal_pipe[2] = {-1, -1};

void restore_and_crash(int signal) {
    tcsetattr(STDIN_FILENO, TCSANOW, &original_terminal_settings);
    raise(signal);  // SA_RESETHAND has removed this handler, so the signal now ends the process
}

void queue_signal(int signal) {
    int error = errno;
    unsigned char byte = static_cast<unsigned char>(signal);
    // If the pipe is full, it already contains enough signals to wake the reader.
    [[maybe_unused]] ssize_t written = write(signal_pipe[1], &byte, 1);
    errno = error;
}

}  // namespace

RawTerminal::RawTerminal() {
    if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp()) return;
    if (tcgetattr(STDIN_FILENO, &original_terminal_settings) != 0) return;
    is_terminal_ = true;
    struct sigaction action = {};
    action.sa_handler = restore_and_crash;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    for (int signal : kCrashSignals) sigaction(signal, &action, nullptr);
    resume();
}

RawTerminal::~RawTerminal() {
    pause();
    if (!is_terminal_) return;
    for (int signal : kCrashSignals) std::signal(signal, SIG_DFL);
}

void RawTerminal::pause() {
    if (is_terminal_) tcsetattr(STDIN_FILENO, TCSADRAIN, &original_terminal_settings);
}

void RawTerminal::resume() {
    if (!is_terminal_) return;
    termios raw_terminal_settings = original_terminal_settings;
    // Disable only echo and line editing, so that output and Ctrl-C work as usual.
    raw_terminal_settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw_terminal_settings.c_cc[VMIN] = 1;
    raw_terminal_settings.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw_terminal_settings);
}

Signals::Signals() {
    if (pipe2(signal_pipe, O_NONBLOCK | O_CLOEXEC) != 0) {
        throw std::runtime_error("a pipe cannot be created");
    }
    struct sigaction action = {};
    action.sa_handler = queue_signal;
    for (int signal : kQueuedSignals) sigaction(signal, &action, nullptr);
}

Signals::~Signals() {
    for (int signal : kQueuedSignals) std::signal(signal, SIG_DFL);
    for (int& end : signal_pipe) {
        close(end);
        end = -1;
    }
}

int Signals::descriptor() {
    return signal_pipe[0];
}

int Signals::take_signal() {
    unsigned char byte = 0;
    return read(signal_pipe[0], &byte, 1) == 1 ? byte : 0;
}

}  // namespace coalesce::learn
