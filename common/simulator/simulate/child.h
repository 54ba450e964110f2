// Runs the program as a child process: sets its environment, passes signals on to it, and returns
// its exit status.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace coalesce::simulator {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Ending {
    int exit_code = 0;      ///< the exit code, if the program exited normally
    int signal = 0;         ///< the signal that ended the program, or 0
    int process = 0;        ///< the program's process ID
    int start_failure = 0;  ///< the value of errno if the program could not be started, otherwise 0
};

/// Starts `path` and waits until the program ends. `arguments` begins with the program's own name.
/// The program receives its process ID in the environment variable COALESCE_SIM_PID.
Ending run_child(const std::string& path, const std::vector<std::string>& arguments,
                 const Environment& environment);

}  // namespace coalesce::simulator
