/// \file
/// A control group for a jail, which limits the memory and number of all its processes and reports afterwards whether
/// memory ran out. Versions 1 and 2 are supported; where neither can be used, only rlimits apply.
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

/// A control group. Its destructor kills what is still in it and removes its folders.
class Cgroup {
public:
    /// Creates a group below that of this process. Returns nothing if the kernel or the permissions do not allow it.
    static std::unique_ptr<Cgroup> make(std::size_t memory_bytes, std::size_t processes);
    ~Cgroup();
    Cgroup(const Cgroup&) = delete;
    Cgroup& operator=(const Cgroup&) = delete;

    /// Returns the files to which a process writes "0" to enter the group.
    const std::vector<std::string>& entrances() const { return entrances_; }
    /// Returns how often a process in it was killed because memory ran out.
    long kills_for_memory() const;

private:
    Cgroup() = default;
    using Limit = std::pair<const char*, std::size_t>;
    bool add(const std::filesystem::path& parent, std::initializer_list<Limit> limits);

    std::vector<std::filesystem::path> folders_;
    std::vector<std::string> entrances_;
};

/// Removes groups of graders that no longer exist. Returns their number.
int sweep_stale_cgroups();
/// Returns the existing groups of all graders, including running ones, or only of the grader with this process.
std::vector<std::filesystem::path> grader_cgroups(pid_t of = 0);

}  // namespace coalesce::grader
