// Helpers for writing FamilyInstruction descriptions: one function per family says which handler a
// PTX instruction needs and where its operands go (families.h).
#pragma once

#include <optional>

#include "execute/families.h"
#include "ptx/instruction_parts.h"

namespace coalesce::sim {

/// A description with these operands. The text may have fewer than `roles`, down to `at_least`, and
/// what it has beyond them is ignored up to `at_most` (hints, cache policies). A `_` is ignored.
/// Nothing when the number of operands does not fit.
std::optional<FamilyInstruction> describe(const ptx::Instruction& instruction, Handler run,
                                          std::vector<OperandRole> roles, std::size_t at_least,
                                          std::size_t at_most);
inline std::optional<FamilyInstruction> describe(const ptx::Instruction& instruction, Handler run,
                                                 std::vector<OperandRole> roles) {
    const std::size_t count = roles.size();
    return describe(instruction, run, std::move(roles), count, count);
}

// One function per family, each beside its handlers.
using Describe = std::optional<FamilyInstruction> (*)(const ptx::Instruction&,
                                                      const ptx::Function&);

#define COALESCE_FAMILY(name) \
    std::optional<FamilyInstruction> name(const ptx::Instruction&, const ptx::Function&)
// warp_ops.cpp
COALESCE_FAMILY(describe_shuffle);
COALESCE_FAMILY(describe_vote);
COALESCE_FAMILY(describe_match);
COALESCE_FAMILY(describe_reduce);
COALESCE_FAMILY(describe_active_mask);
COALESCE_FAMILY(describe_elect);
// matrix_moves.cpp
COALESCE_FAMILY(describe_matrix_load);
COALESCE_FAMILY(describe_matrix_store);
COALESCE_FAMILY(describe_matrix_move);
// tensor_cores.cpp
COALESCE_FAMILY(describe_mma);
COALESCE_FAMILY(describe_wmma);
// atomics.cpp
COALESCE_FAMILY(describe_atomic);
COALESCE_FAMILY(describe_reduction);
// async_copy.cpp, mbarrier.cpp
COALESCE_FAMILY(describe_cp);
COALESCE_FAMILY(describe_mbarrier);
// system_ops.cpp
COALESCE_FAMILY(describe_fence);
COALESCE_FAMILY(describe_hint);
COALESCE_FAMILY(describe_create_policy);
COALESCE_FAMILY(describe_sleep);
COALESCE_FAMILY(describe_trap);
COALESCE_FAMILY(describe_breakpoint);
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
