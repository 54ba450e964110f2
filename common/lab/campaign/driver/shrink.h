// Makes a kernel smaller as long as the two modes still differ.
//
// Idea   Removes half of the instructions at a time, then a quarter, ... down to single ones. A
//        candidate that reads a register that is no longer written is skipped, because it has no
//        correct result.
#pragma once

#include <string>

#include "lab/campaign/driver/runs.h"

namespace coalesce::campaign {

/// Returns the smallest text found for which `a` and `b` still differ in the same way.
std::string shrink(const Runner& runner, const std::string& ptx, const Mode& a, const Mode& b);

}  // namespace coalesce::campaign
