// Runs the grader's program in tests, and finds processes that it leaves behind.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace coalesce::grader {

/// The exit code and output of a program.
struct Ended {
    int code = 0;        ///< the exit code, or 128 + signal if a signal ended it
    std::string output;  ///< stdout and stderr together
};

/// Starts a program in the background, with its output redirected to a file. Returns the process
/// ID.
pid_t start(const std::vector<std::string>& command, const std::filesystem::path& output);
/// Waits for a program that `start` has started. Returns its exit code.
int wait_for(pid_t process);
/// Runs a program to completion.
Ended run_to_end(const std::vector<std::string>& command);

/// A process, identified by its ID and its start time.
using Process = std::pair<pid_t, std::string>;
/// Returns all descendants of a process.
std::vector<Process> descendants(pid_t process);
/// Reports whether the process is still running.
bool is_alive(const Process& process);
/// Returns the name of a process and the event that it waits for, for messages about leftover
/// processes.
std::string told(const Process& process);

}  // namespace coalesce::grader
