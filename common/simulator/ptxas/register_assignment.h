// Which registers the values of a function get, as a compiler for the GPU would choose them.
//
// Idea    Vectors first, then pairs, then single values, each in the order of the source: the lowest register
//         that is free as long as the value is alive. What is read from a special register or a constant
//         has its turn where it is used. R1 is the stack pointer's.
// Pairs   What takes 64 bits begins at an even register, a vector of four at a multiple of four.
// Banks   Even and odd registers lie in two banks, and an instruction that reads two of one bank waits. So
//         values that are read together get one of each. What is read together with a pair, such as the index
//         that is added to a pointer or the data of a store, gets an odd one, though an even one is free:
//         out[i] = 1 takes R2, R3 for the pointer, R5 for the index and R7 for the 1. ptxas does so as long as no
//         fewer blocks fit on a multiprocessor, and not for an index that is wanted long after that.
// Late    A load or store reads its registers some time after it was issued. Others do not get them right
//         behind it.
// Seen    in the machine code that ptxas makes of small kernels.
#pragma once

#include "simulator/ptxas/lifetimes.h"
#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// Up to how many registers something is minded that costs some.
struct Generosity {
    u32 banks = 0, late_reads = 0;
};

/// The number of registers up to the highest.
u32 assign_registers(const MachineCode& code, const Lifetimes& lifetimes, Generosity generous);

}  // namespace coalesce::simulator
