/// \file
/// The processes that share a matrix.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/errors.h"

namespace coalesce::many {

/// The place of a GPU that is another process's.
constexpr int kElsewhere = -1;

/// What keeps all processes of a team from going on: each of them has thrown it, and one says it.
struct TeamError : UsageError {
    using UsageError::UsageError;
};

/// Who shares a matrix. This is a process that is alone, and has all the GPUs; a team of several has one rank, and one
/// GPU, in each. All processes call the same functions in the same order.
class Team {
public:
    virtual ~Team() = default;
    /// How many processes, and which of them this one is.
    virtual int count() const { return 1; }
    virtual int rank() const { return 0; }
    /// On how many computers they run.
    virtual int hosts() const { return 1; }
    /// The number of each rank's GPU; of the same one, where there are fewer than ranks. kElsewhere for ranks of other
    /// processes.
    virtual std::vector<int> devices(int ranks);

    /// Returns when all have called it.
    virtual void wait_for_all() {}
    /// What the first process has there, all have.
    virtual void hand_out(void*, std::size_t) {}
    virtual unsigned long long sum_of(unsigned long long value) { return value; }
    virtual unsigned long long least_of(unsigned long long value) { return value; }
    virtual double most_of(double value) { return value; }
    /// Throws a UsageError when any process has a problem: a TeamError in all of them.
    virtual void stop_at(const std::string& problem);
};

}  // namespace coalesce::many
