// The command line of `simulate`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulate/child.h"

namespace coalesce::simulate {

struct CommandLine {
    std::string json_file;
    bool lines = false;
    bool quiet = false;
    bool plain = false;
    bool explains_missing = false;
    std::string time_on;  ///< empty: no times
    std::string check, max_instructions, threads, seed, devices, memory,
        sample;                        ///< empty: not given
    int error_exit_code = 0;           ///< 0: not given
    std::vector<std::string> program;  ///< and its arguments
};

/// Nothing when the program is to end now, with `exit_code`: help was printed, or an error.
std::optional<CommandLine> read_command_line(int argc, char** argv, int& exit_code);

/// The variables that tell the simulator in the program what was asked for.
Environment simulator_variables(const CommandLine& line);

}  // namespace coalesce::simulate
