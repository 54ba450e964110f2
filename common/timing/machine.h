// The cost of PTX instructions that do not access memory. It depends on the machine instructions
// that ptxas generates for them on GPUs from sm_80 on.
#pragma once

#include "timing/operations.h"

namespace coalesce::timing {

struct InstructionCost {
    float issue_slots = 1, latency = 4;
    Pipe pipe = Pipe::integer;
};

/// The number of machine instructions in a 32-bit division.
inline constexpr float kDivisionIssueSlots = 19;

/// Returns the cost of an instruction. `index` is its position in the kernel, which matters for
/// branches.
InstructionCost instruction_cost(const Instruction& instruction, std::uint32_t index);

/// Returns the issue slots of the instructions that a short branch jumps over. Returns 0 if ptxas
/// keeps the branch instead of predicating these instructions.
float predicated_issue_slots(const std::vector<Instruction>& instructions, std::uint32_t branch);

/// Reports whether the branch jumps over so few instructions that ptxas probably predicates them.
bool is_short_branch(const Instruction& branch, std::uint32_t index);

}  // namespace coalesce::timing
