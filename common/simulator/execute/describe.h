// Helpers for writing FamilyInstruction descriptions: one function per family says which handler a
// PTX instruction needs and where its operands go (families.h).
#pragma once

#include "execute/families.h"
#include "ptx/instruction_parts.h"

namespace coalesce::sim {

/// This, if the text has the operands that it says: as many as `operands`, and behind them a cache policy, which is
/// ignored, where a modifier announces one. A `_` is ignored, too.
Description describe(const ptx::Instruction& instruction, FamilyInstruction made);
/// ... or fewer, down to `at_least`, or more, which are ignored, up to `at_most`.
Description describe(const ptx::Instruction& instruction, FamilyInstruction made,
                     std::size_t at_least, std::size_t at_most);

// One function per family, each beside its handlers.
using Describe = Description (*)(const ptx::Instruction&, const ptx::Function&);

#define COALESCE_FAMILY(name) Description name(const ptx::Instruction&, const ptx::Function&)
// warp_ops.cpp
COALESCE_FAMILY(describe_shuffle);
COALESCE_FAMILY(describe_vote);
COALESCE_FAMILY(describe_match);
COALESCE_FAMILY(describe_reduce);
COALESCE_FAMILY(describe_active_mask);
COALESCE_FAMILY(describe_elect);
// matrix_moves.cpp
COALESCE_FAMILY(describe_matrix_access);
COALESCE_FAMILY(describe_matrix_move);
// tensor_cores.cpp
COALESCE_FAMILY(describe_mma);
COALESCE_FAMILY(describe_wmma);
// atomics.cpp
COALESCE_FAMILY(describe_atomic);
// async_copy.cpp, mbarrier.cpp
COALESCE_FAMILY(describe_cp);
COALESCE_FAMILY(describe_mbarrier);
// system_ops.cpp
COALESCE_FAMILY(describe_fence);
COALESCE_FAMILY(describe_hint);
COALESCE_FAMILY(describe_create_policy);
COALESCE_FAMILY(describe_sleep);
COALESCE_FAMILY(describe_trap);
COALESCE_FAMILY(describe_is_space);
COALESCE_FAMILY(describe_map_address);
COALESCE_FAMILY(describe_block_rank);
// texture_fetch.cpp
COALESCE_FAMILY(describe_fetch);
COALESCE_FAMILY(describe_gather);
COALESCE_FAMILY(describe_query);
COALESCE_FAMILY(describe_is_type);
// surface_access.cpp
COALESCE_FAMILY(describe_surface_load);
COALESCE_FAMILY(describe_surface_store);
COALESCE_FAMILY(describe_surface_reduction);
#undef COALESCE_FAMILY

}  // namespace coalesce::sim
