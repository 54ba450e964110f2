/// \file
/// A control group of its own for a jail: the memory and the number of processes of all that is in it,
/// and a way to see afterwards that memory ran out. Version 1 and 2; where neither can be had, rlimits
/// are all there is.
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

/// Goes with its folders when it is destroyed; whatever is still in it is killed.
class Cgroup {
public:
    /// Makes one below the group of this process; nothing when the kernel or its rights refuse.
    static std::unique_ptr<Cgroup> make(std::size_t memory_bytes, std::size_t processes);
    ~Cgroup();
    Cgroup(const Cgroup&) = delete;
    Cgroup& operator=(const Cgroup&) = delete;

    /// Files to write "0" to for a process that goes into it.
    const std::vector<std::string>& entrances() const { return entrances_; }
    /// How often something in it was killed because memory ran out.
    long kills_for_memory() const;

private:
    Cgroup() = default;
    using Limit = std::pair<const char*, std::size_t>;
    bool add(const std::filesystem::path& parent, std::initializer_list<Limit> limits);

    std::vector<std::filesystem::path> folders_;
    std::vector<std::string> entrances_;
};

/// Removes groups that graders left which are no more. Returns how many.
int sweep_stale_cgroups();
/// The groups of graders that are there now, those of graders at work included; or of one grader
/// alone, by its process.
std::vector<std::filesystem::path> grader_cgroups(pid_t of = 0);

}  // namespace coalesce::grader
