// Estimates how many registers per thread ptxas assigns to a kernel, and in which order it arranges
// the instructions.
//
// Idea   The estimate follows the steps of ptxas in a simplified form: machine code
//        (machine_code.h), the order of each piece (list_schedule.h), the lifetimes of values in
//        this order (lifetimes.h), and a register for each value (register_assignment.h).
// Calls  The registers of a called function are added to the registers that are live in its caller.
//        If the callee is unknown or recursive, ptxas follows a calling convention.
// Error  For most kernels, the estimate is within 15 % of ptxas. For nearly all kernels, it gives
//        the correct number of blocks per multiprocessor (tests/registers/ checks this). Each step
//        models observations of machine code, and ptxas has more steps, so the result is only an
//        estimate.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct Estimate {
    /// The number of registers per thread for the kernel and all functions that it calls, within
    /// the limits of the kernel's directives (.maxnreg, .maxntid, ...).
    u32 registers = 0;
    /// For each instruction of the kernel's body, its position in the final order.
    std::vector<u32> places;
    /// For each instruction of the kernel's body that starts an unrolled loop, the number of
    /// iterations that are combined. 0 for all other instructions.
    std::vector<u32> turns_unrolled;

    /// Returns the unrolled loops, each as the index of the instruction that starts it.
    std::vector<u32> unrolled_loops() const;
};

Estimate estimate_code(const ptx::Module& module, const ptx::Function& kernel);

/// Returns the maximum number of blocks with this many warps and this much shared memory that fit
/// on a multiprocessor, ignoring registers.
u32 max_resident_blocks(u32 warps, u64 shared);

}  // namespace coalesce::simulator
