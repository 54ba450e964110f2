/// \file
/// Judging many submissions to the end: what fails through a fault of ours is tried again. Whose fault it
/// is in the end a solution tells, which is judged then: when that fails too, this computer is broken and
/// the rest is left; when it does not, the judge breaks down over the submission, and one student must
/// not keep the class from its grades.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/class/worker.h"

namespace coalesce::grader {

/// How it is done.
struct Rounds {
    std::vector<std::string> worker;  ///< the command of a judging process
    std::string identity;             ///< what it must say first
    int jobs = 1;                     ///< judging processes
    bool is_quiet = false;            ///< no progress
    /// What can be judged wherever anything can: the solution of an exercise.
    std::function<std::string(const std::string& exercise)> solution;
};

/// What has happened to a task.
enum class TaskEnd {
    judged,    ///< it has a result
    failed,    ///< a fault of ours: it is tried again
    given_up,  ///< a fault of its own, again and again
};
/// Is told of it, by the task's number; `text` is the result, or the fault.
using RoundsTold = std::function<void(std::size_t task, TaskEnd end, const std::string& text)>;

/// What came of it.
struct RoundsOutcome {
    std::size_t judged = 0;  ///< how many have a result
    double seconds = 0;      ///< that it took
    std::string last_fault;  ///< what went wrong with ours last, in a line; ""
};

/// Judges `tasks`. Each end is told as soon as it is there.
RoundsOutcome judge_in_rounds(const std::vector<Task>& tasks, const Rounds& rounds,
                              const RoundsTold& told);

}  // namespace coalesce::grader
