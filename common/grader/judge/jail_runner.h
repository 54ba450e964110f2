/// \file
/// Compiles submissions in one sandbox, and launches them in another.
///
/// Each launch has its own worker process. The grader's own process derives the inputs from a
/// secret that no kernel knows, and compares the outputs. The grader checks everything that a
/// sandbox returns.
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
    /// Creates a runner. `solution_costs` caches the costs of solutions between submissions.
    JailRunner(Jail& compiler, Jail& launcher, SolutionCosts& solution_costs,
               const AssignedExercise& exercise, const Secret& secret);

    /// Returns the name that messages use for the simulated GPU. The name is fixed, because the
    /// sandbox that runs the simulator may not have started yet.
    std::string device() const override { return "simulated GPU"; }
    bool is_simulated() const override { return true; }
    Compiled compile(const Source& source, const Signature& kernel) override;
    /// Launches the kernel. If that launch passes all checks, launches the kernel again with its
    /// blocks and warps in other orders. On large shapes, these additional launches run without
    /// checks. Returns the first launch that failed, or the launch in the default order if none
    /// failed.
    Trial run(const Compiled& kernel, const Produces& task, const TrialRequest& order) override;
    /// Launches a kernel of any signature once with these arguments.
    Trial run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                   const TrialRequest& order) override;
    std::vector<std::uint64_t> other_orders(Shape shape) const override;
    /// Reports whether the output is correct in every order of blocks and warps that `run` would
    /// use. Does not check for memory errors and races.
    bool is_right(const Compiled& kernel, const Produces& task, Shape shape);
    /// Predicts the kernel's time on a GPU. Returns nothing if the exercise does not limit the
    /// time.
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::uint64_t input_seed(Shape shape) const override;
    LargeTrial run_large(const Compiled& kernel, const Produces& task, Shape shape) override;
    std::optional<std::string> load_cached(const std::string& kind, const std::string& of) override;
    void save_cached(const std::string& kind, const std::string& of,
                     const std::string& text) override;

    /// Returns the first problem that prevented the kernel from being judged, or a Failure of kind
    /// `none`.
    const Failure& launch_problem() const { return launch_problem_; }
    /// Returns the total processor time of all workers, in milliseconds.
    double processor_milliseconds() const { return processor_milliseconds_; }

private:
    Compiled compile_in_jail(const Source& source, const Signature& kernel);
    JobResult run_with_retry(Jail& jail, Job job);
    Trial run_once(const Compiled& kernel, const Produces& task, const TrialRequest& order);
    Trial run_reordered(const Compiled& kernel, const Produces& task, TrialRequest order,
                        Trial usual_trial);
    LaunchJob predicted_job(const Compiled& kernel, const Produces& task, Shape shape) const;
    std::optional<PredictedTime> predict_with(const LaunchJob& job);
    JobResult launch(const LaunchJob& job, const std::string& images);
    /// Launches a job and reads its answer. If the launch does not complete, the returned trial
    /// gives the reason.
    Trial launch_and_read(const LaunchJob& job, const std::string& images, JobResult& result);
    bool record_failure(const Failure& launch_problem);
    double seconds_left() const;
    int launch_seconds() const;
    std::uint64_t instructions_left() const;
    std::uint64_t order_seed(int order_number, Shape shape) const;

    Jail& compiler_;
    Jail& launcher_;
    SolutionCosts& solution_costs_;
    /// A cache of compiled kernels, keyed by file name, mangled kernel name and source.
    std::map<std::array<std::string, 3>, Compiled> compiled_;
    const AssignedExercise& exercise_;
    Secret secret_;
    Failure launch_problem_;
    double processor_milliseconds_ = 0;
    double launch_milliseconds_ = 0;
    std::uint64_t used_instructions_ = 0;  ///< warp instructions of all launches
};

}  // namespace coalesce::grader
