// Helpers for describing instruction families (families.h). Each family has a function that
// determines the handler of a PTX instruction, and the fields of the Op in which the operands are
// stored.
#pragma once

#include "simulator/execute/families.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {

/// Checks a description: returns `family_instruction` if `family_instruction.operands` has exactly
/// one entry for each operand of the instruction. Otherwise returns nothing. The cache policy
/// operand of .L2::cache_hint needs no entry. An operand `_` needs an entry.
Description describe(const ptx::Instruction& instruction, FamilyInstruction family_instruction);
/// Like describe() above, but accepts any number of operands from `min_operands` to `max_operands`.
/// Ignores operands without an entry in `family_instruction.operands`.
Description describe(const ptx::Instruction& instruction, FamilyInstruction family_instruction,
                     std::size_t min_operands, std::size_t max_operands);

// The functions that describe shfl, vote, match, redux, activemask and elect. Defined in
// warp_ops.cpp.
DescribeFunction describe_shuffle, describe_vote, describe_match, describe_reduce,
    describe_active_mask, describe_elect;
// Defined in atomics.cpp.
DescribeFunction describe_atomic;
// Describes st.async and red.async. Defined in async_store.cpp.
Description describe_async_store(const ptx::Instruction& instruction);
// Defined in async_copy.cpp and mbarrier.cpp.
DescribeFunction describe_cp, describe_mbarrier;
// Defined in system_ops.cpp.
DescribeFunction describe_fence, describe_hint, describe_create_policy, describe_sleep,
    describe_trap, describe_is_space, describe_map_address, describe_block_rank;

}  // namespace coalesce::simulator
