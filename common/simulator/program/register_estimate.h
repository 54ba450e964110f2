// How many registers per thread a compiler for the GPU would give a kernel.
//
// Idea   Its machine code (machine_code.h), each piece in the order that the compiler would choose
//        (list_schedule.h), and the most words that are alive at once then. Registers are not packed as
//        tightly as that: what is lost was found by comparing with ptxas.
// Right  Within 15 % of ptxas for most kernels, and the number of blocks that fit on a multiprocessor for
//        nearly all: tests/registers/ holds it to that. It is an estimate: the order, the unrolling and the
//        packing are ptxas's secrets.
#pragma once

#include "ptx/ast.h"

namespace coalesce::sim {

/// Of the kernel and all that it calls, within what its directives allow (.maxnreg, .maxntid, ...).
u32 estimate_registers(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace coalesce::sim
