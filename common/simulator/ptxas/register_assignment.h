// Assigns registers to the values of a function as ptxas does.
//
// Idea    Vectors come first, then pairs, then single values, each in the order of the source. Each
//         value gets the lowest register that is free while the value is live. A value from a
//         special register or a constant is assigned where it is used. R1 is the stack pointer.
// Pairs   A 64-bit value starts at an even register, and a vector of four at a multiple of four.
// Banks   Even and odd registers are in two banks, and an instruction that reads two registers of
//         one bank is delayed. So values that are read together get one register of each bank. A
//         value that is read together with a pair, such as the index that is added to a pointer, or
//         the data of a store, gets an odd register even if an even one is free: out[i] = 1 takes
//         R2 and R3 for the pointer, R5 for the index and R7 for the 1. ptxas does this unless it
//         would reduce the number of blocks on a multiprocessor, but not for an index that is
//         needed much later.
// Late    A load or store reads its registers some time after it was issued, so these are not
//         reused directly after it.
// Seen    These rules were found in the machine code that ptxas generates for small kernels.
#pragma once

#include "simulator/ptxas/lifetimes.h"
#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// Limits on the number of registers. While a kernel takes no more than `banks` registers, ptxas
/// uses more of them to avoid bank conflicts. While it takes no more than `late_reads`, ptxas uses
/// more of them to avoid registers that are still being read.
struct RegisterLimits {
    u32 banks = 0, late_reads = 0;
};

/// Returns the highest register number used, plus one.
u32 assign_registers(const MachineCode& code, const Lifetimes& lifetimes, RegisterLimits generous);

}  // namespace coalesce::simulator
