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
Leftovers leftovers_in(const std::filesystem::path& folder);
/// Returns the leftovers in `now` that are missing from `before`.
std::vector<std::string> new_in(const Leftovers& now, const Leftovers& before);

}  // namespace coalesce::grader
