// A pseudo-terminal in which a test runs a command and types keys.
#pragma once

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/child.h"

namespace coalesce::learn {

// Returns the lines that an 80 x 24 terminal shows after it has received the output. Supports only
// the escape sequences that the command uses.
inline std::vector<std::string> lines_seen(const std::string& output) {
    constexpr size_t LINES = 24, COLUMNS = 80;
    std::vector<std::string> lines(LINES);
    size_t line = 0, column = 0;
    auto begin_line = [&] {
        column = 0;
        if (++line < LINES) return;
        lines.erase(lines.begin());
        lines.emplace_back();
        line = LINES - 1;
    };
    for (size_t i = 0; i < output.size(); ++i) {
        if (output[i] == '\033') {
            size_t end = output.find_first_of("HJKm", i);
            if (end == std::string::npos) break;
            if (output[end] == 'H') line = column = 0;
            if (output[end] == 'J') lines.assign(LINES, "");
            if (output[end] == 'K') lines[line].resize(std::min(column, lines[line].size()));
            i = end;
        } else if (output[i] == '\n') {
            begin_line();
        } else if (output[i] == '\r') {
            column = 0;
        } else {
            if (column == COLUMNS) begin_line();
            lines[line].resize(std::max(column + 1, lines[line].size()), ' ');
            lines[line][column++] = output[i];
        }
    }
    return lines;
}

// Runs a program in an 80 x 24 pseudo-terminal. The destructor kills the program.
class PseudoTerminal {
public:
    explicit PseudoTerminal(const Command& command, const std::string& kind = "xterm") {
        winsize size = {24, 80, 0, 0};
        process = forkpty(&terminal, nullptr, nullptr, &size);
        if (process < 0) throw std::runtime_error("no pseudo terminal can be had");
        if (process == 0) become(command, kind);
    }
    ~PseudoTerminal() {
        if (process > 0) {
            kill(process, SIGKILL);
            waitpid(process, nullptr, 0);
        }
        close(terminal);
    }
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;

    void type(const std::string& keys) const {
        if (write(terminal, keys.data(), keys.size()) < 0) throw std::runtime_error("it is gone");
    }
    // Waits until the output contains `words` after the words that earlier calls have found.
    // Returns false on a timeout.
    bool shows(const std::string& words, int milliseconds = 30'000) {
        using Clock = std::chrono::steady_clock;
        auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
        for (;;) {
            size_t place = screen.find(words, seen);
            if (place != std::string::npos) {
                seen = place + words.size();
                return true;
            }
            auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
            if (left <= 0 || !take_output(static_cast<int>(left))) return false;
        }
    }
    // Waits for the program to exit. Returns its wait status, or -1 on a timeout.
    int status(int milliseconds = 30'000) {
        for (int waited = 0; waited < milliseconds; waited += 5) {
            take_output(5);
            int status = 0;
            if (waitpid(process, &status, WNOHANG) == process) {
                process = -1;
                return status;
            }
            usleep(1000);
        }
        return -1;
    }
    // Reports whether the terminal echoes keys and delivers whole lines, as a shell expects.
    bool is_as_usual() const {
        termios settings = {};
        tcgetattr(terminal, &settings);
        return (settings.c_lflag & ICANON) != 0 && (settings.c_lflag & ECHO) != 0;
    }
    // Replaces the child process with the command.
    [[noreturn]] static void become(const Command& command, const std::string& kind) {
        for (auto& setting : command.environment) putenv(const_cast<char*>(setting.c_str()));
        setenv("TERM", kind.c_str(), 1);
        if (chdir(command.folder.c_str()) != 0) _exit(126);
        std::vector<char*> words = {const_cast<char*>(command.program.c_str())};
        for (auto& word : command.arguments) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        execv(words[0], words.data());
        _exit(127);
    }
    // Returns the lines that are currently visible.
    std::vector<std::string> lines() const { return lines_seen(screen); }
    pid_t id() const { return process; }
    const std::string& all() const { return screen; }

private:
    bool take_output(int milliseconds) {
        pollfd ready = {terminal, POLLIN, 0};
        if (poll(&ready, 1, milliseconds) <= 0) return true;
        char buffer[65536];
        ssize_t count = read(terminal, buffer, sizeof buffer);
        if (count <= 0) return count < 0 && errno == EINTR;
        screen.append(buffer, static_cast<size_t>(count));
        return true;
    }

    int terminal = -1;
    pid_t process = -1;
    std::string screen;
    size_t seen = 0;
};

}  // namespace coalesce::learn
