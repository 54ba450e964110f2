/// \file
/// The processes that share a matrix.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/errors.h"

namespace coalesce::many {

/// The device number of a rank whose GPU belongs to another process.
constexpr int kRankOfOtherProcess = -1;

/// The reason why no process of a team can continue. All processes of the team throw it, and one of
/// them prints the message.
struct TeamError : UsageError {
    using UsageError::UsageError;
};

/// The processes that share a matrix. This base class is a team of one process, which uses all
/// GPUs. In derived classes, each process has one rank and one GPU. All processes of a team call
/// the same functions in the same order.
class Team {
public:
    virtual ~Team() = default;
    /// Return the number of processes, and the rank of this process.
    virtual int count() const { return 1; }
    virtual int rank() const { return 0; }
    /// Returns the number of computers on which the processes run.
    virtual int host_count() const { return 1; }
    /// Returns the device number of each rank. If there are fewer GPUs than ranks, some ranks share
    /// a GPU. Ranks of other processes get kRankOfOtherProcess.
    virtual std::vector<int> devices(int ranks);

    /// Waits until all processes have called this function.
    virtual void wait_for_all() {}
    /// Copies bytes from the first process to all processes.
    virtual void broadcast_bytes(void*, std::size_t) {}
    virtual unsigned long long global_sum(unsigned long long value) { return value; }
    virtual unsigned long long global_min(unsigned long long value) { return value; }
    virtual double global_max(double value) { return value; }
    /// Throws a TeamError in all processes if any process has a problem. `problem` is the problem
    /// of this process, or "" if it has none. A team of one process throws a UsageError.
    virtual void fail_together(const std::string& problem);
};

}  // namespace coalesce::many
