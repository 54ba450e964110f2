/// \file
/// Submissions compiled in one jail and launched in another, each launch in a worker of its own. Inputs
/// are made here, from a secret that no kernel knows, and outputs are compared here: what comes out of a
/// jail is data, and is checked as such.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "grader/judge/judge.h"
#include "grader/sandbox/jail.h"
#include "grader/sandbox/jobs.h"
#include "kernel/runner.h"

namespace coalesce::grader {

class JailRunner : public Runner {
public:
    /// `solution_costs` is what has been counted before, by whatever submission.
    JailRunner(Jail& compiler, Jail& launcher, std::map<std::string, Counters>& solution_costs,
               const Assigned& exercise, const Secret& secret);

    /// The same whether its jail has started yet or not.
    std::string device() const override { return "simulated GPU"; }
    bool is_simulated() const override { return true; }
    Compiled compile(const Source& source, const std::string& kernel) override;
    Trial run(const Compiled& kernel, const Produces& task, const TrialOrder& order) override;
    std::optional<Counters> kept_cost(const std::string& of) override;
    void keep_cost(const std::string& of, const Counters& cost) override;

    /// The first launch that gave nothing to judge by, whoever asked for it; kind none: there was none.
    const Failure& trouble() const { return trouble_; }
    /// How many processes launched something.
    int launches() const { return launches_; }
    /// What the workers computed.
    double processor_milliseconds() const { return processor_milliseconds_; }

private:
    JobResult compile_once(const CompileJob& job, double wall_seconds);
    Compiled what_came_of(const JobResult& result, const std::string& kernel);
    Failure look_at_ptx(const Compiled& compiled) const;
    JobResult launch(const LaunchJob& job, const std::string& images, double wall_seconds);
    Failure trouble_with(const JobResult& result, const std::string& file) const;
    std::uint64_t seed_of(Shape shape) const;

    Jail& compiler_;
    Jail& launcher_;
    std::map<std::string, Counters>& solution_costs_;
    const Assigned& exercise_;
    Secret secret_;
    Failure trouble_;
    int launches_ = 0;
    double processor_milliseconds_ = 0;
};

}  // namespace coalesce::grader
