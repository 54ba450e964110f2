// What all test runners share: run a program under `simulate`, get what it printed and its report;
// read the marks in its source.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce::tests {

struct Outcome {
    int exit_code = -1;
    std::string out, err;
    nlohmann::ordered_json report;  ///< null when none was written
};

/// simulate [--quiet] OPTIONS --json TEMPORARY PROGRAM ARGUMENTS
Outcome simulate(const std::string& simulate_path, const std::vector<std::string>& options,
                 const std::vector<std::string>& program);

/// The lines of a file; ends this process with a message when it cannot be read.
std::vector<std::string> read_lines(const std::string& file);
std::vector<std::string> split_lines(const std::string& text);
std::vector<std::string> split_words(const std::string& text);
std::string trimmed(std::string_view text);

/// The last part of a path.
std::string base_name(const std::string& path);

/// "  | line" for every line: how the runners quote what a program printed.
std::string as_quote(const std::string& text);

}  // namespace coalesce::tests
