// Shrinks a kernel whose outcome differs between two modes of execution: removes instructions as
// long as the outcomes still differ.
//
// Idea   First tries to remove half of the instructions at once, then a quarter, and so on down to
//        single instructions. If a candidate kernel reads a register that is no longer written, it
//        has no correct result and is skipped.
#pragma once

#include <string>

#include "lab/campaign/driver/runs.h"

namespace coalesce::campaign {

/// Returns the smallest text found that keeps the difference between the outcomes with the settings
/// `a` and with the settings `b`.
std::string shrink(const CampaignRunner& runner, const std::string& ptx, const SimulatorSettings& a,
                   const SimulatorSettings& b);

}  // namespace coalesce::campaign
