/// \file
/// Launches of a submission's kernel, each in a worker of its own: the grader's side. Inputs are made
/// here, from a seed that nobody else knows, and outputs are compared here.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "grader/judge/judge.h"
#include "grader/sandbox/jail.h"
#include "grader/sandbox/jobs.h"
#include "kernel/trial.h"

namespace coalesce::grader {

/// A launch that gave nothing to judge by.
struct LaunchTrouble : std::runtime_error {
    /// Why.
    enum class Kind { ours, out_of_memory, out_of_time, escaped };
    LaunchTrouble(Kind why, const std::string& text) : std::runtime_error(text), kind(why) {}
    Kind kind;
};

/// A kernel that may be launched.
struct JudgedKernel {
    std::string file_name;  ///< for places
    std::string kernel;     ///< the function
    std::string ptx;        ///< looked at before
    std::string entry;      ///< its name in there
    Produces produces;      ///< what it should leave
};

/// What one launch left.
struct JudgedTrial {
    Trial trial;                         ///< as the course's own rules want it
    Counters counters;                   ///< if asked for
    std::vector<simulated::Line> lines;  ///< likewise
};

/// Launches kernels.
class Trials {
public:
    Trials(Jail& jail, const JudgeLimits& limits, const Secret& secret, std::string exercise);

    /// Launches once. Throws LaunchTrouble when there is nothing to judge by.
    JudgedTrial run(const JudgedKernel& kernel, Shape shape, Watch watch,
                    bool wants_counters = false, const TracedWarp& traced = {});
    /// How many processes that took.
    int launches() const { return launches_; }
    /// What they computed.
    double processor_milliseconds() const { return processor_milliseconds_; }

private:
    JobResult launch(const LaunchJob& job, const std::string& images, double wall_seconds);
    std::uint64_t seed_of(Shape shape) const;

    Jail& jail_;
    JudgeLimits limits_;
    Secret secret_;
    std::string exercise_;
    int launches_ = 0;
    double processor_milliseconds_ = 0;
};

}  // namespace coalesce::grader
