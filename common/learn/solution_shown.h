/// \file
/// What is not shown before an exercise has passed, as the book folds it: its solution, and the kernel of
/// its lesson, which is the same.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// A command that shows it.
struct Showing {
    std::string words;         ///< "explain 03": with --yes behind it, it shows it all the same
    std::string instead = "";  ///< what can be shown: "./learn ptx 03 --mine"; "": the hints
};

/// Whether the solution may be shown: the exercise has passed, or it was seen before, or whoever is asked
/// here wants it; `yes` answers. Says what to do when it may not.
bool may_see_solution(Session& session, const Work& exercise, bool yes, const Showing& showing);

/// The headline kernel of a step, which stands between two markers. Throws UsageError.
std::string kernel_of_step(const std::string& step);

}  // namespace coalesce::learn
