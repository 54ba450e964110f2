/// \file
/// Runs another program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::learn {

/// How a program ended, and what it printed on stdout. (Its stderr is ours.)
struct Outcome {
    int exit_code = 0;  ///< 128 + signal when a signal ended it
    std::string output;
};

/// Runs a program to its end. Throws std::runtime_error when it cannot be started.
Outcome run_program(const std::filesystem::path& program,
                    const std::vector<std::string>& arguments);

}  // namespace coalesce::learn
