/// \file
/// `learn diff` and `learn explain`: what changes from one step to the next, and from the learner's
/// kernel to the solution.
#pragma once

#include "learn/session.h"

namespace coalesce::learn {

/// The one idea of a step: its kernel against that of the step it builds on; with `mine`, the
/// learner's kernels of both. Returns the exit code. Throws UsageError.
int diff(Session& session, const Work& exercise, bool mine);

/// The learner's kernel beside the solution, and why the numbers are what they are. Before the
/// exercise has passed it asks first; `yes` answers. Returns the exit code, 1 when it was declined.
int explain(Session& session, const Work& exercise, bool yes);

}  // namespace coalesce::learn
