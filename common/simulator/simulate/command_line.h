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
    /// Options that have the same meaning in the simulator, by the name of the variable that passes
    /// them on. An empty value means that the option was not given.
    std::map<std::string, std::string> handed_on;
    int error_exit_code = 0;           ///< 0 if it was not given
    std::vector<std::string> program;  ///< the program and its arguments
};

/// Returns nothing if `simulate` must end now with `exit_code`, because it has printed the help or
/// an error.
std::optional<CommandLine> read_command_line(int argc, char** argv, int& exit_code);

/// Returns the environment variables that pass the options on to the simulator inside the program.
Environment simulator_variables(const CommandLine& line);

}  // namespace coalesce::simulator
