/// \file
/// Judges many submissions, and retries those that fail because of the grader or the computer.
///
/// If a submission fails repeatedly, the reference solution is judged. If the solution fails too,
/// the computer is broken, and judging stops. Otherwise the submission itself crashes the judge.
/// The grader then gives up on this submission, and judges the next one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/class/worker.h"

namespace coalesce::grader {

/// The parameters for judging with retries.
struct RetryOptions {
    std::vector<std::string> worker_command;  ///< the command that starts a judging process
    std::string identity;   ///< the assignment's digest, which a judging process prints first
    int jobs = 1;           ///< number of judging processes
    bool is_quiet = false;  ///< whether to hide the progress
    /// Returns the text of an exercise's solution. If even the solution cannot be judged, the
    /// computer is broken.
    std::function<std::string(const std::string& exercise)> solution;
};

/// The ways in which an attempt to judge a task can end.
enum class TaskEnd {
    judged,    ///< the task has a result
    failed,    ///< the attempt failed because of the grader, and the task will be retried
    given_up,  ///< the task crashes the judge repeatedly, and will not be retried
};
/// A function that is called when an attempt to judge a task ends. `task` is the index of the task.
/// `text` is the result, or the error message if the attempt failed.
using TaskEndCallback = std::function<void(std::size_t task, TaskEnd end, const std::string& text)>;

struct JudgingOutcome {
    std::size_t judged_count = 0;  ///< number of tasks with a result
    double seconds = 0;            ///< duration in seconds
    /// The grader's most recent problem, as one line, or "" if there was none.
    std::string last_fault;
};

/// Judges `tasks`, and calls the callback after each attempt.
JudgingOutcome judge_with_retries(const std::vector<Task>& tasks, const RetryOptions& options,
                                  const TaskEndCallback& on_task_end);

}  // namespace coalesce::grader
