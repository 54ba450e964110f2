// Helpers for writing FamilyInstruction descriptions: one function per family says which handler a
// PTX instruction needs and where its operands go (families.h).
#pragma once

#include "simulator/execute/families.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {

/// This, if the text has the operands that it says: as many as `operands`, and behind them a cache policy, which is
/// ignored, where a modifier announces one. A `_` is ignored, too.
Description describe(const ptx::Instruction& instruction, FamilyInstruction made);
/// ... or fewer, down to `at_least`, or more, which are ignored, up to `at_most`.
Description describe(const ptx::Instruction& instruction, FamilyInstruction made,
                     std::size_t at_least, std::size_t at_most);

// One function per family, each beside its handlers.
// warp_ops.cpp
Describe describe_shuffle, describe_vote, describe_match, describe_reduce, describe_active_mask,
    describe_elect;
// atomics.cpp
Describe describe_atomic;
// async_store.cpp: of st and red, those with .async
Description describe_async_store(const ptx::Instruction& instruction);
// async_copy.cpp, mbarrier.cpp
Describe describe_cp, describe_mbarrier;
// system_ops.cpp
Describe describe_fence, describe_hint, describe_create_policy, describe_sleep, describe_trap,
    describe_is_space, describe_map_address, describe_block_rank;

}  // namespace coalesce::simulator
