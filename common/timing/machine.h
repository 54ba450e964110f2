// The costs of PTX instructions that do not access memory. The cost of an instruction depends on
// the machine instructions that ptxas generates for it on GPUs of sm_80 or later.
#pragma once

#include "timing/operations.h"

namespace coalesce::timing {

struct InstructionCost {
    float issue_slots = 1, latency_cycles = 4;
    Pipe pipe = Pipe::integer;
};

/// The number of machine instructions in a 32-bit division.
inline constexpr float kDivisionIssueSlots = 19;

/// Returns the cost of an instruction. `index` is the instruction's position in the kernel. The
/// cost of a branch depends on how far the branch jumps.
InstructionCost instruction_cost(const Instruction& instruction, std::uint32_t index);

/// Returns the issue slots of the instructions that the branch at index `branch` jumps over, if
/// ptxas predicates these instructions. Returns 0 if ptxas keeps the branch instead.
float predicated_issue_slots(const std::vector<Instruction>& instructions, std::uint32_t branch);

/// Reports whether the branch jumps over so few instructions that ptxas probably predicates them.
bool is_short_branch(const Instruction& branch, std::uint32_t index);

}  // namespace coalesce::timing
