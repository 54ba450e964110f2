/// \file
/// Finds atomics that ptxas executes for a whole warp with one access.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The lanes whose accesses the hardware combines into one access when it executes an atomic.
enum class CombinedLanes {
    none,       ///< lanes with the same address are served one after the other
    same_word,  ///< lanes with the same address are served together (ATOMS.POPC.INC)
    all,        ///< one lane accesses memory for all active lanes, which have the same address
};

/// Returns how ptxas combines an `atom` or `red`, as measured on an H200 with 18 kernels. If the
/// text of the function proves that all threads have the same address, one lane accesses memory for
/// all lanes. This lane adds the number of active lanes times a value that is the same in all lanes
/// or, if the old value is not used, applies any operation that `redux` supports. For an addition
/// of 1 to shared memory whose old value is not used, the hardware counts the lanes that have each
/// address.
CombinedLanes combined_lanes(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
