// What a kernel costs, held against what the lesson asks.
#pragma once

#include <optional>
#include <vector>

#include "kernel/examine.h"

namespace coalesce {

/// What is dearer than asked, the worst first; empty when nothing is. The kernel is right.
std::vector<Failure> too_dear(const Examination& examination, const LaunchShape& launch,
                              const Limits& limits);

}  // namespace coalesce
