// What a PTX instruction that touches no memory costs: what ptxas makes of it, on GPUs from sm_80 on.
#pragma once

#include "timing/operations.h"

namespace coalesce::timing {

struct Cost {
    float slots = 1, latency = 4;
    Pipe pipe = Pipe::integer;
};

/// `index`: of the instruction in its kernel, for branches.
Cost cost_of(const Instruction& instruction, std::uint32_t index);

/// A branch over so few instructions that ptxas makes predicates of it, or nearly.
bool skips_little(const Instruction& branch, std::uint32_t index);

}  // namespace coalesce::timing
