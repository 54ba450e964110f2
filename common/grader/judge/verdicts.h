/// \file
/// Which verdict a failure is.
#pragma once

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// OK for what costs too much: that is a matter of points.
VerdictKind verdict_for(FailureKind kind);
/// Whether it is only about costs.
bool is_cost(FailureKind kind);

}  // namespace coalesce::grader
