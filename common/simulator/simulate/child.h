// Runs the program as a child: environment set, signals passed on, its end told.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace coalesce::simulator {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Ending {
    int exit_code = 0;      ///< when it ended by itself
    int signal = 0;         ///< when it was ended by a signal; else 0
    int start_failure = 0;  ///< errno, when it could not be started; else 0
};

/// Starts `path` with `arguments` (the first one is its own name) and waits for its end. The child
/// also gets COALESCE_SIM_PID, its process number.
Ending run_child(const std::string& path, const std::vector<std::string>& arguments,
                 const Environment& environment);

}  // namespace coalesce::simulator
