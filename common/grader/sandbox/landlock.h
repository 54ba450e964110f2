/// \file
/// Landlock: a process gives up the file system, except for some folders that it may read. Needs no
/// privilege; Linux 5.13 or newer.
#pragma once

#include <string>
#include <vector>

namespace coalesce::grader {

/// The version that the kernel has; 0: none, or switched off.
int landlock_version();
/// From now on this process and all that it makes can read these files and folders, and nothing else;
/// what does not exist is skipped. `also_running`: it can run programs that are among them. Throws
/// std::runtime_error.
void allow_reading_only(const std::vector<std::string>& paths, bool also_running);

}  // namespace coalesce::grader
