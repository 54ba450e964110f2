/// \file
/// Finds processes, cgroups and files that a grader must not leave behind.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace coalesce::grader {

/// Leftovers, each as a string such as "process 123 (jail)", "cgroup /sys/..." or "file /tmp/...".
using Leftovers = std::set<std::string>;

/// Returns what a grader may have left behind: processes, cgroups, and files in `folder`, /dev/shm
/// and /tmp.
Leftovers find_leftovers(const std::filesystem::path& folder);
/// Returns the leftovers in `current_leftovers` that are missing from `earlier_leftovers`.
std::vector<std::string> find_new_leftovers(const Leftovers& current_leftovers,
                                            const Leftovers& earlier_leftovers);

}  // namespace coalesce::grader
