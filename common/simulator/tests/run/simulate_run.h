// Helpers for all test runners: they run a program under `simulate`, collect its output and report,
// and read the marks in its source.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce::tests {

struct Outcome {
    int exit_code = -1;
    std::string out, err;
    nlohmann::ordered_json report;  ///< null if no report was written
};

/// Runs simulate [--quiet] OPTIONS --json TEMPORARY PROGRAM ARGUMENTS.
Outcome simulate(const std::string& simulate_path, const std::vector<std::string>& options,
                 const std::vector<std::string>& program);

/// Returns the lines of a file. Ends this process with a message if the file cannot be read.
std::vector<std::string> read_lines(const std::string& file);
std::vector<std::string> split_lines(const std::string& text);
std::vector<std::string> split_words(const std::string& text);
std::string trimmed(std::string_view text);

/// Returns the last component of a path.
std::string base_name(const std::string& path);

/// Returns a program's output with " | " in front of every line, to distinguish it from other text.
std::string as_quote(const std::string& text);

}  // namespace coalesce::tests
