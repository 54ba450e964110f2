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

/// Returns this process's children, its cgroups, orphaned sandbox processes, the files in `folder`
/// and in /dev/shm, and the files in /tmp that archives of the corpus try to create.
Leftovers leftovers_in(const std::filesystem::path& folder);
/// Returns the leftovers in `now` that are missing from `before`.
std::vector<std::string> new_in(const Leftovers& now, const Leftovers& before);

}  // namespace coalesce::grader
