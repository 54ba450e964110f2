/// \file Judges many submissions, and retries submissions that fail because of the grader or the
/// computer. To find the cause of repeated failures, the code judges a solution. If the solution
/// fails too, the computer is broken, and judging stops. Otherwise the submission makes the judge
/// crash, and the rest of the class is still graded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/class/worker.h"

namespace coalesce::grader {

/// The parameters for judging with retries.
struct RetryOptions {
    std::vector<std::string> worker;  ///< the command that starts a judging process
    std::string identity;             ///< the identity that a process must report first
    int jobs = 1;                     ///< number of judging processes
    bool is_quiet = false;            ///< whether to hide the progress
    /// Returns the solution of an exercise. Judging a solution succeeds on every working computer.
    std::function<std::string(const std::string& exercise)> solution;
};

/// How an attempt to judge a task ended.
enum class TaskEnd {
    judged,    ///< the task has a result
    failed,    ///< the attempt failed because of the grader, and the task will be retried
    given_up,  ///< the task makes the judge crash again and again
};
/// Called when an attempt ends, with the task's number and the result or the error message.
using TaskEndCallback = std::function<void(std::size_t task, TaskEnd end, const std::string& text)>;

/// The outcome of judging.
struct JudgingOutcome {
    std::size_t judged = 0;  ///< number of tasks with a result
    double seconds = 0;      ///< duration in seconds
    std::string last_fault;  ///< the grader's last problem in one line, or ""
};

/// Judges `tasks`, and calls the callback after each attempt.
JudgingOutcome judge_with_retries(const std::vector<Task>& tasks, const RetryOptions& options,
                                  const TaskEndCallback& told);

}  // namespace coalesce::grader
