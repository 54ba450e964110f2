// Estimates how many registers per thread ptxas assigns to a kernel, and in which order ptxas
// arranges the instructions.
//
// Idea   The estimate follows the steps of ptxas in a simplified form. It generates machine code
//        (machine_code.h), orders each straight-line piece (list_schedule.h), computes the
//        lifetimes of values in this order (lifetimes.h), and assigns a register to each value
//        (register_assignment.h).
// Calls  The registers of a called function are added to the registers that are live in its caller.
//        If the callee is unknown or recursive, ptxas follows a calling convention.
// Error  For most kernels, the estimate differs from ptxas by at most 15 %. For nearly all kernels,
//        the number of blocks per multiprocessor that follows from the estimate is correct
//        (tests/registers/ checks this). Each step imitates behaviour observed in machine code, and
//        ptxas has more steps, so the result is only an estimate.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct Estimate {
    /// The number of registers per thread for the kernel and all functions that it calls. It is not
    /// above the limits of the kernel's directives (.maxnreg, .maxntid, ...).
    u32 registers = 0;
    /// The number of registers that the code needs beyond the limits of these directives.
    u32 spilled_registers = 0;
    /// For each instruction of the kernel's body, its position in the final order.
    std::vector<u32> instruction_positions;
    /// For the first instruction of each unrolled loop, the number of iterations that ptxas
    /// combines. For all other instructions of the kernel's body, 0.
    std::vector<u32> unroll_factors;

    /// Returns the unrolled loops, each as the index of the instruction that starts it.
    std::vector<u32> unrolled_loops() const;
};

Estimate estimate_code(const ptx::Module& module, const ptx::Function& kernel);

/// Returns how many blocks of `warps` warps and `shared` bytes of shared memory fit on a
/// multiprocessor at the same time, if registers are not considered.
u32 max_resident_blocks(u32 warps, u64 shared);

}  // namespace coalesce::simulator
