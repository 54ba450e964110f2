// What mbarriers, cp.async and cp.async.bulk have to do with each other.
#pragma once

#include <optional>

#include "execute/block.h"
#include "execute/families.h"

namespace coalesce::sim {

/// Carries out all copies that the active lanes have begun (async_copy.cpp).
void complete_copies(Warp& w);

/// cp.async.mbarrier.arrive{.noinc}: arrives at an mbarrier when the thread's copies are complete
/// (mbarrier.cpp).
std::optional<FamilyInstruction> describe_copy_arrival(const ptx::Instruction& instruction);

/// cp.async.bulk... (bulk_copy.cpp).
std::optional<FamilyInstruction> describe_bulk_copy(const ptx::Instruction& instruction);
/// Somebody asks this mbarrier: carries out the bulk copies that report to it (bulk_copy.cpp).
void complete_bulk_copies(Block& block, u32 mbarrier);

/// The block has ended: tells which bulk copies nobody waited for, and carries them out.
void end_bulk_copies(Block& block);

/// Whether these 8 bytes of shared memory hold an mbarrier, and the bytes that have arrived for it
/// (mbarrier.cpp).
bool is_mbarrier(const Block& block, u32 address);
void complete_bytes(Block& block, u32 address, u32 bytes);

}  // namespace coalesce::sim
