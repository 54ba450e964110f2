// What a PTX instruction that touches no memory costs: what ptxas makes of it, on GPUs from sm_80 on.
#pragma once

#include "timing/operations.h"

namespace coalesce::timing {

struct Cost {
    float slots = 1, latency = 4;
    Pipe pipe = Pipe::integer;
};

/// ptxas makes so many instructions of a division of 32 bits.
inline constexpr float kSlotsOfDivision = 19;

/// `index`: of the instruction in its kernel, for branches.
Cost cost_of(const Instruction& instruction, std::uint32_t index);

/// Of what a short branch jumps over, where ptxas makes it conditional instead; 0: it stays a branch.
float slots_of_converted(const std::vector<Instruction>& instructions, std::uint32_t branch);

/// A branch over so few instructions that ptxas makes predicates of it, or nearly.
bool skips_little(const Instruction& branch, std::uint32_t index);

}  // namespace coalesce::timing
