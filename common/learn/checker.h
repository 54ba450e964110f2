/// \file
/// Examines a kernel in a child process, so that the command survives a kernel that crashes or
/// hangs.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/child.h"
#include "examiner/verdict.h"
#include "learn/work.h"

namespace coalesce::learn {

/// The kernel to examine, and the options of the examination.
struct CheckRequest {
    LearnerExercise exercise;
    /// a file to examine instead of the exercise's own; the path as the learner typed it
    std::string file = "";
    std::string device = "sim";      ///< "sim", "gpu" or "auto"
    int seconds = 60;                ///< time limit, after which the child process is killed
    bool uses_llvm_ir = false;       ///< whether to compile through LLVM IR, as web pages do
    bool uses_grader_rules = false;  ///< whether to reject PTX that the grader would reject
    /// whether to search for a change that makes a failed kernel pass, if the examiner does not
    /// find the cause of the failure
    bool searches = false;
};

/// The result of an examination.
struct CheckResult {
    /// The outcomes of a check. Their values are the exit codes of the command.
    enum Outcome { passed = 0, not_yet = 1, not_examined = 2 };
    Outcome outcome = not_examined;
    std::optional<Verdict> verdict;  ///< the verdict; empty if the examination produced none
    std::string problem = "";        ///< why there is no verdict, and what to do about it
    std::string file = "";           ///< the file's name in messages
    bool uses_llvm_ir = false;       ///< copied from the request
    double milliseconds = 0;         ///< time from starting the child process to its verdict

    /// Returns the identifier of the failure, such as "missing-barrier", or "" if there is none.
    std::string failure() const;
    /// Returns the hash of the examined source, or "" if no source was examined.
    std::string hash() const;
};
constexpr CheckResult::Outcome last_of(CheckResult::Outcome) {
    return CheckResult::not_examined;
}

/// A running examination.
class Check {
public:
    /// Starts the child process. Throws UsageError if the checks program has not been built.
    explicit Check(const CheckRequest& request);
    ~Check();

    /// Returns a descriptor that becomes readable when the caller should call `is_over` again.
    int descriptor() const { return child_->descriptor(); }
    /// Reports, without waiting, whether the child process has exited or exceeded its time limit.
    bool is_over();
    /// Reports whether the check has taken at least a second, and is now searching for a change
    /// that makes the kernel pass. The child process has then already stored its verdict.
    bool is_searching() const;
    /// Waits until the child process ends or reaches its time limit, and returns false. If
    /// `is_searching` becomes true earlier, returns true at once, so that the caller can tell the
    /// learner about the search.
    bool wait_for_long_search();
    /// Returns the number of milliseconds left until the time limit.
    int milliseconds_left() const;
    /// Waits for the child process and returns the result of the check. Kills the process at the
    /// time limit.
    CheckResult finish();

private:
    std::string explain_missing_verdict(const ProcessResult& outcome) const;

    using Clock = std::chrono::steady_clock;
    CheckRequest request_;
    std::string file_;
    std::filesystem::path verdict_file_;
    std::unique_ptr<Child> child_;
    Clock::time_point start_time_ = Clock::now();
};

/// Examines a kernel and waits for the result.
CheckResult check(const CheckRequest& request);

/// Returns the verdict of the exercise's last check, or nothing if the source that was examined
/// does not have the hash `hash`.
std::optional<Verdict> last_verdict(const LearnerExercise& exercise, const std::string& hash);

}  // namespace coalesce::learn
