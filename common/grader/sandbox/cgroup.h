/// \file
/// A Linux control group, which limits the memory and the number of processes of a jail. The group
/// also reports whether the memory ran out. On a computer without cgroups (version 1 or 2), only
/// rlimits apply.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace coalesce::grader {

/// A control group. The destructor kills its remaining processes and removes its folders.
class Cgroup {
public:
    /// Creates a cgroup below the cgroup of this process. Returns nothing if the Linux kernel or
    /// the permissions do not allow it.
    static std::unique_ptr<Cgroup> make(std::size_t memory_bytes, std::size_t processes);
    ~Cgroup();
    Cgroup(const Cgroup&) = delete;
    Cgroup& operator=(const Cgroup&) = delete;

    /// Returns the files to which a process must write "0" to enter the cgroup.
    const std::vector<std::string>& entry_files() const { return entry_files_; }
    /// Returns the number of processes in the cgroup that were killed for lack of memory.
    long out_of_memory_kills() const;

private:
    Cgroup() = default;
    using Limit = std::pair<const char*, std::size_t>;
    bool add_folder(const std::filesystem::path& parent, std::initializer_list<Limit> limits);

    std::vector<std::filesystem::path> folders_;
    std::vector<std::string> entry_files_;
};

/// Removes the cgroups of graders that are no longer running. Returns the number of removed
/// cgroups.
int sweep_stale_cgroups();
/// Returns the existing cgroups of all graders. If `grader_process` is not 0, returns only those of
/// the grader with this process id.
std::vector<std::filesystem::path> find_grader_cgroups(pid_t grader_process = 0);

}  // namespace coalesce::grader
