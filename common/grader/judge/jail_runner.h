/// \file
/// Compiles submissions in one jail and launches them in another, each launch in its own worker. Inputs are made here
/// from a secret that no kernel knows, and outputs are compared here. Everything that comes out of a jail is
/// untrusted data, and is checked.
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
    /// `solution_costs` stores costs of solutions between submissions.
    JailRunner(Jail& compiler, Jail& launcher, SolutionCosts& solution_costs,
               const Assigned& exercise, const Secret& secret);

    /// Returns the same name whether the jail has started or not.
    std::string device() const override { return "simulated GPU"; }
    bool is_simulated() const override { return true; }
    Compiled compile(const Source& source, const std::string& kernel) override;
    /// Launches the kernel. At small shapes it also uses other orders of blocks and warps, and returns the first bad
    /// launch.
    Trial run(const Compiled& kernel, const Produces& task, const TrialOrder& order) override;
    /// Reports whether the result is right in each of those orders, even if it is not clean.
    bool is_right(const Compiled& kernel, const Produces& task, Shape shape);
    /// Predicts the time. Returns nothing if the exercise does not ask for a time, which saves the work.
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::optional<std::string> kept(const std::string& kind, const std::string& of) override;
    void keep(const std::string& kind, const std::string& of, const std::string& text) override;

    /// Returns the first launch problem that prevents a judgement, or kind none.
    const Failure& trouble() const { return trouble_; }
    /// Returns the processor time of all workers.
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
    /// Compiled kernels by file name, kernel name and text, because drawing a picture, for example, compiles again.
    std::map<std::array<std::string, 3>, Compiled> compiled_;
    const Assigned& exercise_;
    Secret secret_;
    Failure trouble_;
    double processor_milliseconds_ = 0;
    double launch_milliseconds_ = 0;
};

}  // namespace coalesce::grader
