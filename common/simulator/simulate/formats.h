// Writes findings in the formats that CI systems and editors read.
#pragma once

#include <string>
#include <vector>

#include "simulator/simulate/comparison.h"
#include "simulator/simulate/finding.h"
#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

/// Returns the findings in the format SARIF 2.1.0, which code scanning services read.
std::string to_sarif(const std::vector<Finding>& findings, const std::string& version);

/// Returns the findings as JUnit XML, for CI systems. Each kernel becomes a test case. One more
/// test case is for findings about the rest of the program.
std::string to_junit(const std::vector<Finding>& findings, const Json& run,
                     const std::string& program);

/// Returns workflow commands, which GitHub Actions shows as annotations of lines in a pull request.
std::string to_github_annotations(const std::vector<Finding>& findings);

/// Returns messages in a compiler's format, such as "main.cu:12:1: error: ...", for editors.
std::string to_compiler_messages(const std::vector<Finding>& findings);

/// Returns a summary of the run as Markdown, for a pull request. `comparison` is null if the run is
/// not compared with an earlier run.
std::string to_markdown(const std::vector<Finding>& findings, const Json& run,
                        const Comparison* comparison);

}  // namespace coalesce::simulator
