// The command line of `simulate`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/simulate/child.h"

namespace coalesce::simulator {

struct CommandLine {
    std::string json_file;
    bool lines = false;
    bool quiet = false;
    bool plain = false;
    bool explains_missing = false;
    /// By the variable that tells the simulator: what has the same meaning there; empty: not given.
    std::map<std::string, std::string> handed_on;
    int error_exit_code = 0;           ///< 0: not given
    std::vector<std::string> program;  ///< and its arguments
};

/// Nothing when the program is to end now, with `exit_code`: help was printed, or an error.
std::optional<CommandLine> read_command_line(int argc, char** argv, int& exit_code);

/// The variables that tell the simulator in the program what was asked for.
Environment simulator_variables(const CommandLine& line);

}  // namespace coalesce::simulator
