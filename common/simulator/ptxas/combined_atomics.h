/// \file
/// Finds the atomics for which ptxas combines the operations of a warp's lanes into one access.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The lanes of an atomic that the hardware combines into one access.
enum class CombinedLanes {
    none,       ///< lanes with the same address are serialized
    same_word,  ///< lanes with the same address are combined (ATOMS.POPC.INC)
    all,        ///< one lane accesses memory for all active lanes, which have the same address
};

/// Returns which lanes of an `atom` or `red` are combined. (Measured on an H200 with 18 kernels.)
///
/// If the code of the function proves that all threads have the same address, one lane accesses
/// memory for all lanes. To add a value that is the same in all lanes, this lane adds the value
/// times the number of active lanes. If the old value is not used, the values of the lanes may also
/// differ, provided that `redux` supports the operation. If a kernel adds 1 to shared memory and
/// does not use the old value, the hardware counts the lanes at each address.
CombinedLanes find_combined_lanes(const ptx::Function& function,
                                  const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
