// Unrolls loops of the approximated machine code (machine_code.h) in the same way as ptxas does.
//
// Idea   ptxas unrolls a loop if the loop counts in constant steps to a limit that is known in
//        advance, and if its body is one straight-line piece. In the copies of an iteration, each
//        value has its own name, and the number of remaining iterations is checked once for all
//        copies.
// Seen   These rules were found by experiment. We inserted instructions into a loop, and compared
//        the length of the machine code with and without `.pragma "nounroll"`. The rules were
//        checked in the same way for all loops of the course's programs.
#pragma once

#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// The number of iterations that ptxas combines when it unrolls a loop.
constexpr u32 kUnrolledIterations = 4;

/// Unrolls those loops in `code` that ptxas unrolls. Each element of `loops` is the index of a
/// piece of `code` that branches back to its own start.
void unroll_loops(const ptx::Function& function, const std::vector<u32>& loops, MachineCode& code);

}  // namespace coalesce::simulator
