// Estimates how many registers per thread ptxas would give a kernel, and in which order it would
// arrange the instructions.
//
// Idea   The steps of ptxas, simplified: machine code (machine_code.h), the order of each piece
//        (list_schedule.h), the lifetimes of values in this order (lifetimes.h), and a register for
//        each value (register_assignment.h).
// Calls  The registers of a function that is called by name are added to those that are live in its
//        caller. If the callee is unknown or recursive, ptxas follows a calling convention.
// Right  Within 15 % of ptxas for most kernels, and the right number of blocks per multiprocessor
//        for nearly all: tests/registers/ checks this. It is an estimate. Each step models what was
//        observed in machine code, and ptxas has more steps.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct Estimate {
    /// For the kernel and everything that it calls, within the limits of its directives (.maxnreg,
    /// .maxntid, ...).
    u32 registers = 0;
    /// By instruction of the kernel's body: its position in the final order.
    std::vector<u32> places;
    /// By instruction of the kernel's body: the number of iterations that are combined in the loop
    /// that it starts; 0 if it starts no loop, or one that is not unrolled.
    std::vector<u32> turns_unrolled;

    /// Returns the unrolled loops, each by the instruction that starts it.
    std::vector<u32> unrolled_loops() const;
};

Estimate estimate_code(const ptx::Module& module, const ptx::Function& kernel);

/// Returns how many blocks with this many warps and this much shared memory the registers of a
/// multiprocessor can hold.
u32 blocks_held(u32 warps, u64 shared);

}  // namespace coalesce::simulator
