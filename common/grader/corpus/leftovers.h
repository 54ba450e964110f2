/// \file
/// What a grader must not leave behind.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace coalesce::grader {

/// Each by a name that says what it is: "process 123 (jail)", "cgroup /sys/...", "file /tmp/...".
using Leftovers = std::set<std::string>;

/// Jails and bubblewraps of this process and orphans of others, its cgroups, the files in a folder and
/// in /dev/shm, and what the corpus's archives would like to leave in /tmp.
Leftovers leftovers_in(const std::filesystem::path& folder);
/// What is there now and was not before.
std::vector<std::string> new_in(const Leftovers& now, const Leftovers& before);

}  // namespace coalesce::grader
