/// \file
/// Submissions compiled in one jail and launched in another, each launch in a worker of its own. Inputs
/// are made here, from a secret that no kernel knows, and outputs are compared here: what comes out of a
/// jail is data, and is checked as such.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "examiner/runner.h"
#include "grader/judge/judge.h"
#include "grader/sandbox/jail.h"
#include "grader/sandbox/jobs.h"

namespace coalesce::grader {

class JailRunner : public Runner {
public:
    /// `solution_costs` is what has been found before, by whatever submission.
    JailRunner(Jail& compiler, Jail& launcher, SolutionCosts& solution_costs,
               const Assigned& exercise, const Secret& secret);

    /// The same whether its jail has started yet or not.
    std::string device() const override { return "simulated GPU"; }
    bool is_simulated() const override { return true; }
    Compiled compile(const Source& source, const std::string& kernel) override;
    /// What is watched at a small shape is launched in other orders of blocks and warps as well: the
    /// first launch that is not good is what comes back.
    Trial run(const Compiled& kernel, const Produces& task, const TrialOrder& order) override;
    /// Right, if not clean, in each of those orders.
    bool is_right(const Compiled& kernel, const Produces& task, Shape shape);
    /// Nothing, too, where the exercise asks for no time: nobody waits for it then.
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::optional<std::string> kept(const std::string& kind, const std::string& of) override;
    void keep(const std::string& kind, const std::string& of, const std::string& text) override;

    /// The first launch that gave nothing to judge by, whoever asked for it; kind none: there was none.
    const Failure& trouble() const { return trouble_; }
    /// What the workers computed.
    double processor_milliseconds() const { return processor_milliseconds_; }

private:
    Compiled compile_in_jail(const Source& source, const std::string& kernel);
    JobResult done(Jail& jail, Job job);
    Trial run_once(const Compiled& kernel, const Produces& task, const TrialOrder& order);
    Trial run_in_other_orders(const Compiled& kernel, const Produces& task, TrialOrder order,
                              Trial usual);
    JobResult launch(const LaunchJob& job, const std::string& images);
    bool note(const Failure& trouble);
    double seconds_left() const;
    std::uint64_t drawn(const std::string& what) const;
    std::uint64_t seed_of(Shape shape) const;

    Jail& compiler_;
    Jail& launcher_;
    SolutionCosts& solution_costs_;
    /// By name of the file, name of the kernel and text: whoever draws a picture, say, asks once more.
    std::map<std::array<std::string, 3>, Compiled> compiled_;
    const Assigned& exercise_;
    Secret secret_;
    Failure trouble_;
    double processor_milliseconds_ = 0;
    double launch_milliseconds_ = 0;
};

}  // namespace coalesce::grader
