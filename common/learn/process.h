/// \file
/// Runs another program: to its end, or beside what this one does.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::learn {

/// How a program ended, and what it printed on stdout. (Its stderr is ours.)
struct Outcome {
    int exit_code = 0;  ///< 128 + signal when a signal ended it
    std::string output;
};

/// Runs a program to its end. Throws std::runtime_error when it cannot be started.
Outcome run_program(const std::filesystem::path& program,
                    const std::vector<std::string>& arguments);

/// What is to be run.
struct Command {
    std::filesystem::path program;
    std::vector<std::string> arguments = {};
    std::vector<std::string> environment = {};  ///< NAME=VALUE, in place of what is there
    std::filesystem::path folder = {};          ///< to run in; "": where this program runs
    bool with_errors = false;                   ///< what it prints on stderr belongs to the output
};

/// A program that runs beside this one. Ended when this object goes.
class Child {
public:
    /// Starts it, with nothing on its stdin. Throws std::runtime_error when that cannot be done.
    explicit Child(const Command& command);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Readable when there is output to take, or none will come any more.
    int descriptor() const { return pipe; }
    /// Takes what was printed since, without waiting. False when none will come any more.
    bool take_output();
    /// Waits until it ends, for so long at most. False: it still runs.
    bool wait(int milliseconds);
    /// Ends it.
    void stop();
    /// How it ended. Call it when `wait` was true or after `stop`.
    const Outcome& outcome() const { return result; }

private:
    bool reap(bool may_wait);

    pid_t process = 0;  // 0: it has ended
    int pipe = -1;
    Outcome result;
};

}  // namespace coalesce::learn
