/// \file
/// `learn hint`: a little help, then a little more.
#pragma once

#include "learn/session.h"

namespace coalesce::learn {

/// Shows the next level of the hint for what the last check found, or `level` (1 to 4; 0: the next).
/// Returns the exit code.
int hint(Session& session, const Work& exercise, int level);

}  // namespace coalesce::learn
