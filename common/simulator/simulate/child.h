// Runs the program as a child process: sets its environment, passes signals on, and returns how it
// ended.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace coalesce::simulator {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Ending {
    int exit_code = 0;      ///< if it ended by itself
    int signal = 0;         ///< if a signal ended it; else 0
    int start_failure = 0;  ///< errno, if it could not be started; else 0
};

/// Starts `path` with `arguments` (the first one is the program's own name) and waits until it
/// ends. The child also gets COALESCE_SIM_PID, its process number.
Ending run_child(const std::string& path, const std::vector<std::string>& arguments,
                 const Environment& environment);

}  // namespace coalesce::simulator
