/// \file
/// Uses Landlock to restrict a process to reading certain files and folders. Landlock needs no
/// privileges, but requires Linux 5.13 or newer.
#pragma once

#include <string>
#include <vector>

namespace coalesce::grader {

/// Returns the Landlock version that the Linux kernel supports, or 0 if Landlock is missing or
/// disabled.
int landlock_version();
/// Restricts this process and its children to reading these files and folders. Skips paths that do
/// not exist. If `may_execute` is true, the process may also execute programs in them. Throws
/// std::runtime_error on failure.
void allow_reading_only(const std::vector<std::string>& paths, bool may_execute);

}  // namespace coalesce::grader
