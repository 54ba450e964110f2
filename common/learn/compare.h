/// \file
/// `learn diff` and `learn explain`: what changes from one step to the next, and from the learner's
/// kernel to the solution.
#pragma once

#include "learn/session.h"

namespace coalesce::learn {

/// The words of `learn diff`.
struct DiffWords {
    bool is_mine = false;  ///< the learner's kernels
    bool yes = false;      ///< the lessons' kernels although an exercise has not passed
};

/// The one idea of a step: its kernel against that of the step it builds on; or the learner's kernels of
/// both. Returns the exit code, 1 when the lesson's kernels are not to be seen yet. Throws UsageError.
int diff(Session& session, const Work& exercise, const DiffWords& words);

/// The learner's kernel beside the solution, and why the numbers are what they are. Before the
/// exercise has passed it asks first; `yes` answers. Returns the exit code, 1 when it was declined.
int explain(Session& session, const Work& exercise, bool yes);

}  // namespace coalesce::learn
