/// \file
/// NVIDIA's tools on this machine: where they are, and how they are run.
#pragma once

#include <string>
#include <vector>

namespace coalesce::proof {

/// The path of "ncu" or "compute-sanitizer": on the PATH, or where the toolkit keeps it. Throws
/// UsageError that says what to install.
std::string find_tool(const std::string& name);

/// The last words of `TOOL --version`.
std::string version_of(const std::string& tool);

/// The folder of the libcudart.so.13 that this process has loaded, for programs without a run path.
std::string cudart_folder();

/// Runs a program under Nsight Compute with these metrics, separated by commas; returns what ncu wrote, also where it
/// says that it does not know a metric. Throws std::runtime_error if ncu fails for another reason.
std::string profile_metrics(const std::string& ncu, const std::vector<std::string>& program,
                            const std::string& metrics);

/// Runs `launches` with these arguments under Nsight Compute; returns what ncu wrote. Metrics that
/// this version does not know are left out in further tries. Throws std::runtime_error.
std::string profile(const std::string& ncu, const std::vector<std::string>& program);

}  // namespace coalesce::proof
