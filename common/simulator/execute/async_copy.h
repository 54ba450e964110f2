// What the mbarrier instructions and cp.async have to do with each other.
#pragma once

#include <optional>

#include "execute/families.h"

namespace coalesce::sim {

/// Carries out all copies that the active lanes have begun (async_copy.cpp).
void complete_copies(Warp& w);

/// cp.async.mbarrier.arrive{.noinc}: arrives at an mbarrier when the thread's copies are complete
/// (mbarrier.cpp).
std::optional<FamilyInstruction> describe_copy_arrival(const ptx::Instruction& instruction);

}  // namespace coalesce::sim
