/// \file
/// Judging many submissions to the end: what fails through a fault of ours is tried again, and when
/// nothing but faults comes, this computer is taken for broken and the rest is left.
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
};

/// What came of it.
struct RoundsOutcome {
    std::size_t judged = 0;  ///< how many have a result
    double seconds = 0;      ///< that it took
    std::string last_fault;  ///< what went wrong with ours last, in a line; ""
};

/// Judges `tasks`. `judged` gets the number of each with its result as soon as it is there, `failed`
/// likewise each fault of ours.
RoundsOutcome judge_in_rounds(
    const std::vector<Task>& tasks, const Rounds& rounds,
    const std::function<void(std::size_t task, const std::string& result)>& judged,
    const std::function<void(std::size_t task, const std::string& fault)>& failed);

}  // namespace coalesce::grader
