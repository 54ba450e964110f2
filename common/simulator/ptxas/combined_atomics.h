/// \file
/// Atomics that ptxas carries out for a whole warp at a time.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Which lanes' accesses of an atomic are one access on hardware.
enum class CombinedLanes {
    none,       ///< lanes with one address take turns
    same_word,  ///< lanes with one address are served together (ATOMS.POPC.INC)
    all,        ///< one lane acts for all active ones, whose address is the same
};

/// Says what ptxas makes of an `atom` or `red`, as measured on an H200 with 18 kernels. Where the text of the
/// function proves that all threads have one address, one lane adds for all: the number of active lanes times a value
/// that all share, or, where the old value is not used, whatever `redux` combines. An addition of 1 to shared memory
/// whose old value is not used counts lanes by their address.
CombinedLanes combined_lanes(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
