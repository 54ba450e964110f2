// Makes a kernel smaller while the two modes still differ.
//
// Idea   Instructions are taken out by halves, quarters, ... down to single ones. What reads a
//        register that is no longer written is not tried: such a text has no right answer.
#pragma once

#include <string>

#include "lab/campaign/driver/runs.h"

namespace coalesce::campaign {

/// The smallest text found, of which `a` and `b` give the same sort of difference as of the whole.
std::string shrink(const Runner& runner, const std::string& ptx, const Mode& a, const Mode& b);

}  // namespace coalesce::campaign
