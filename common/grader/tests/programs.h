// Runs the real program in tests, and finds the processes that it leaves behind.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace coalesce::grader {

/// How a program ended.
struct Ended {
    int code = 0;        ///< the exit code, or 128 + signal if a signal ended it
    std::string output;  ///< stdout and stderr
};

/// Starts a program in the background and writes its output to a file.
pid_t start(const std::vector<std::string>& command, const std::filesystem::path& output);
/// Waits for a program that `start` has started, and returns its exit code.
int wait_for(pid_t process);
/// Runs a program to its end.
Ended run_to_end(const std::vector<std::string>& command);

/// A process, identified by its number and its start time.
using Process = std::pair<pid_t, std::string>;
/// Returns all descendants of a process.
std::vector<Process> descendants(pid_t process);
/// Reports whether the process is still running.
bool is_alive(const Process& process);
/// Describes a process and what it is waiting for. Messages about leftover processes use this.
std::string told(const Process& process);

}  // namespace coalesce::grader
