// Unrolls the loops in which ptxas combines several iterations.
//
// Idea   ptxas unrolls loops that count in constant steps to a limit that is known in advance, and
//        that consist of one straight-line piece. In the copies of an iteration, each value has its
//        own name, and the number of remaining iterations is checked once for all copies.
// Seen   These rules were found by inserting instructions into a loop and comparing the length of
//        the machine code with and without `.pragma "nounroll"`. The rules were checked in the same
//        way for all loops of the course's programs.
#pragma once

#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// The number of iterations of an unrolled loop that ptxas combines.
constexpr u32 kUnrolledIterations = 4;

/// Unrolls the pieces in `loops`, which branch back to their own start, if ptxas would unroll them.
void unroll_loops(const ptx::Function& function, const std::vector<u32>& loops, MachineCode& code);

}  // namespace coalesce::simulator
