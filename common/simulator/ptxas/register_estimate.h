// How many registers per thread a compiler for the GPU would give a kernel, and in which order it would put the
// instructions.
//
// Idea   What ptxas does, in short: machine code (machine_code.h), each piece in the order that ptxas would
//        choose (list_schedule.h), where each value is alive then (lifetimes.h), and a register for each
//        (register_assignment.h).
// Calls  What a function that is called by name takes lies beside what is alive in its caller. Where it is
//        not known who is called, or it calls itself, ptxas keeps a convention.
// Right  Within 15 % of ptxas for most kernels, and the number of blocks that fit on a multiprocessor for
//        nearly all: tests/registers/ holds it to that. It is an estimate: each of the steps is what was
//        seen in machine code, and ptxas has more of them.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct Estimate {
    /// Of the kernel and all that it calls, within what its directives allow (.maxnreg, .maxntid, ...).
    u32 registers = 0;
    /// By instruction of the kernel's body: where it stands once they are put in order.
    std::vector<u32> places;
    /// By instruction of the kernel's body: how many turns of the loop that it begins are carried out as one piece; 0 for
    /// an instruction that begins no loop or one that is not unrolled.
    std::vector<u32> turns_unrolled;

    /// The unrolled loops, each by the instruction that begins it.
    std::vector<u32> unrolled_loops() const;
};

Estimate estimate_code(const ptx::Module& module, const ptx::Function& kernel);

/// How many blocks of so many warps and bytes of shared memory a multiprocessor holds, as far as registers let it.
u32 blocks_held(u32 warps, u64 shared);

}  // namespace coalesce::simulator
