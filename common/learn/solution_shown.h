/// \file
/// Protects the solution of an exercise, and the same kernel in its lesson, from being seen before the exercise has
/// passed. The book hides them in the same cases.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// A command that would show the solution.
struct Showing {
    std::string words;         ///< such as "explain 03"; with --yes added, it shows the solution
    std::string instead = "";  ///< a command to suggest instead: "./learn ptx 03 --mine"; "": hints
};

/// Reports whether the solution may be shown: the exercise has passed, the learner has seen it before, insists when
/// asked, or gave `yes`. Otherwise prints what to do.
bool may_see_solution(Session& session, const Work& exercise, bool yes, const Showing& showing);

/// Returns the main kernel of a step, which stands between two markers. Throws UsageError.
std::string kernel_of_step(const std::string& step);

}  // namespace coalesce::learn
