// Loops that ptxas carries out several turns at a time.
//
// Idea   Those that count by a constant to an end that is known before, and are one straight piece. In the copies of a
//        turn a value has a name of its own, and how many turns are left is asked once for all of them.
// Seen   By putting instructions into a loop and comparing the length of the machine code with what `.pragma "nounroll"`
//        gives; and for all loops of the course's programs in the same way.
#pragma once

#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// Turns that then follow each other.
constexpr u32 kUnrolledTurns = 4;

/// Of the pieces that go back to their own beginning, these are unrolled if ptxas does so.
void unroll_loops(const ptx::Function& function, const std::vector<u32>& loops, MachineCode& code);

}  // namespace coalesce::simulator
