/// \file
/// Finds the atomics for which ptxas combines the operations of a warp's lanes into one access.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The lanes of an atomic whose operations are combined into one access.
enum class CombinedLanes {
    none,       ///< lanes with the same address are serialized
    same_word,  ///< lanes with the same address are combined (ATOMS.POPC.INC)
    all,        ///< one lane accesses memory for all active lanes, which have the same address
};

/// Returns how ptxas combines an `atom` or `red`, as measured on an H200 with 18 kernels.
///
/// If the code of the function proves that all threads have the same address, one lane accesses
/// memory for all lanes. To add a value that all lanes share, this lane adds the value times the
/// number of active lanes. If the old value is not used, this lane can also apply any operation
/// that `redux` supports. For an addition of 1 to shared memory whose old value is not used, the
/// hardware counts the lanes that have each address.
CombinedLanes combined_lanes(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
