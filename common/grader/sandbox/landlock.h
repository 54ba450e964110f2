/// \file
/// Restricts a process by Landlock to reading some folders. It needs no privileges, but Linux 5.13 or newer.
#pragma once

#include <string>
#include <vector>

namespace coalesce::grader {

/// Returns the kernel's version of Landlock, or 0 if it has none or it is switched off.
int landlock_version();
/// Restricts this process and its children to reading these files and folders. Paths that do not exist are skipped.
/// With `also_running` it may also run programs in them. Throws std::runtime_error.
void allow_reading_only(const std::vector<std::string>& paths, bool also_running);

}  // namespace coalesce::grader
