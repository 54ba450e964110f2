// Helpers for writing FamilyInstruction descriptions: one function per family says which handler a
// PTX instruction needs and where its operands go (families.h).
#pragma once

#include "simulator/execute/families.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::sim {

/// This, if the text has the operands that it says: as many as `operands`, and behind them a cache policy, which is
/// ignored, where a modifier announces one. A `_` is ignored, too.
Description describe(const ptx::Instruction& instruction, FamilyInstruction made);
/// ... or fewer, down to `at_least`, or more, which are ignored, up to `at_most`.
Description describe(const ptx::Instruction& instruction, FamilyInstruction made,
                     std::size_t at_least, std::size_t at_most);

// One function per family, each beside its handlers.
using Describe = Description(const ptx::Instruction&, const ptx::Function&);
// warp_ops.cpp
Describe describe_shuffle, describe_vote, describe_match, describe_reduce, describe_active_mask,
    describe_elect;
// matrix_moves.cpp
Describe describe_matrix_access, describe_matrix_move;
// tensor_cores.cpp
Describe describe_mma, describe_wmma;
// atomics.cpp
Describe describe_atomic;
// async_store.cpp: of st and red, those with .async
Description describe_async_store(const ptx::Instruction& instruction);
// async_copy.cpp, mbarrier.cpp
Describe describe_cp, describe_mbarrier;
// system_ops.cpp
Describe describe_fence, describe_hint, describe_create_policy, describe_sleep, describe_trap,
    describe_is_space, describe_map_address, describe_block_rank;
// texture_fetch.cpp
Describe describe_fetch, describe_query, describe_is_type;
// surface_access.cpp
Describe describe_surface;

}  // namespace coalesce::sim
