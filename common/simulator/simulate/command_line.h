// Parses the command line of `simulate`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/simulate/child.h"

namespace coalesce::simulator {

struct CommandLine {
    // Files to write after the run. An empty name means that the option was not given.
    std::string json_file, trace_file, sarif_file, junit_file, markdown_file;
    std::string budget_to_write, suppressions_to_write;
    // Files to read before the run.
    std::string suppression_file, base_file, budget_file;
    /// The percentage by which a cost may be higher than in the run in `base_file`.
    double tolerance_percent = 0;
    std::string annotations;     ///< "github", "compiler", or empty for no annotations
    bool reports_lints = false;  ///< true if avoidable costs are reported
    /// True if the exit code depends on the kind of problem (--gate).
    bool uses_gate_codes = false;
    bool has_line_counters = false;
    bool is_quiet = false;
    bool is_plain = false;
    bool explains_missing = false;
    bool writes_vscode_tasks = false;
    /// Options for the simulator. The key of an option is the environment variable that passes it.
    /// An empty value means that the option was not given.
    std::map<std::string, std::string> passed_variables;
    int error_exit_code = 0;  ///< the value of --error-exitcode, or 0 if the option was not given
    std::vector<std::string> program;  ///< the program and its arguments
};

/// Parses the arguments of `simulate`. If they ask for help or contain an error, prints the help or
/// the error, sets `exit_code` and returns nothing. `simulate` must then exit with `exit_code`.
std::optional<CommandLine> read_command_line(int argc, char** argv, int& exit_code);

/// Returns the environment variables that pass the options to the simulator inside the program.
Environment simulator_variables(const CommandLine& line);

}  // namespace coalesce::simulator
