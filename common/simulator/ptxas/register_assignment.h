// Assigns registers to the values of a function as ptxas does.
//
// Idea    Vectors are assigned first, then pairs, then single values. Each of these groups is
//         assigned in the order of the source. Each value gets the lowest register that is free
//         while the value is live. A value from a special register or a constant is assigned where
//         it is used. R1 is the stack pointer.
// Pairs   A 64-bit value starts at an even register, and a vector of four at a multiple of four.
// Banks   Even and odd registers are in two banks, and an instruction that reads two registers of
//         one bank is delayed. Therefore, values that are read together are assigned to different
//         banks. A value that is read together with a pair, such as the index that is added to a
//         pointer, or the data of a store, gets an odd register even if an even register is free.
//         For example, out[i] = 1 takes R2 and R3 for the pointer, R5 for the index and R7 for the
//         1. ptxas avoids bank conflicts in this way unless fewer blocks would then fit on a
//         multiprocessor. An index that is needed only much later is another exception.
// Late    A load or store reads its registers some time after it was issued. These registers are
//         not reused directly after it.
// Seen    These rules were found in the machine code that ptxas generates for small kernels.
#pragma once

#include "simulator/ptxas/lifetimes.h"
#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// The register counts below which ptxas spends more registers to gain speed. Below
/// `bank_conflict_limit` registers, it skips free registers to avoid bank conflicts. Below
/// `late_read_limit` registers, it skips registers that an earlier instruction may still be
/// reading.
struct RegisterLimits {
    u32 bank_conflict_limit = 0, late_read_limit = 0;
};

/// Assigns a register to each value, and returns the highest register number used plus one.
u32 assign_registers(const MachineCode& code, const Lifetimes& lifetimes, RegisterLimits limits);

}  // namespace coalesce::simulator
