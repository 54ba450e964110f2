/// \file
/// Finds and runs NVIDIA's tools on this machine.
#pragma once

#include <string>
#include <vector>

namespace coalesce::proof {

/// Returns the path of "ncu" or "compute-sanitizer", found on the PATH or in the toolkit's folders.
/// Throws a UsageError that says what to install.
std::string find_tool(const std::string& name);

/// Returns the last line of `TOOL --version` that contains the word "version", or "" if there is
/// none.
std::string read_tool_version(const std::string& tool);

/// Returns the folder of the libcudart.so.13 that this process has loaded. Programs without a run
/// path find the library only if they are given this folder.
std::string find_cudart_folder();

/// Runs a program under Nsight Compute and returns ncu's output. `metrics` are separated by commas,
/// and may include metrics that ncu does not recognize. Throws std::runtime_error if ncu fails for
/// any other reason.
std::string profile_metrics(const std::string& ncu, const std::vector<std::string>& program,
                            const std::string& metrics);

/// Profiles a program and returns ncu's output. `program` contains the program and its arguments.
/// Leaves out metrics that this version of ncu does not recognize. Throws std::runtime_error if ncu
/// fails.
std::string profile_all_metrics(const std::string& ncu, const std::vector<std::string>& program);

}  // namespace coalesce::proof
