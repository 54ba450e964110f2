// Runs the real program in tests, and looks at what it leaves behind.
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
    int code = 0;        ///< 128 + signal when a signal ended it
    std::string output;  ///< stdout and stderr
};

/// Starts a program in the background with its output in a file.
pid_t start(const std::vector<std::string>& command, const std::filesystem::path& output);
/// Waits for one that was started.
int wait_for(pid_t process);
/// Runs a program to its end.
Ended run_to_end(const std::vector<std::string>& command);

/// A process by its number and the time it began, which no other has.
using Process = std::pair<pid_t, std::string>;
/// All processes below one.
std::vector<Process> descendants(pid_t process);
/// Whether it still runs.
bool is_alive(const Process& process);
/// What it is and what it waits for, for whoever has to find out why it is still there.
std::string told(const Process& process);

}  // namespace coalesce::grader
