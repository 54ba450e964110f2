// Finds the objects to which a kernel's stores and atomics may write, by tracing each address in
// the PTX back to a pointer.
//
// Idea   An address is computed from a pointer, which is a parameter of the kernel or a variable.
//        The result of an addition, a move or a selection may be an address. The result of a
//        multiplication or a shift is never an address, and neither is a 32-bit value from memory.
//        A store through a pointer that was loaded from memory may write anywhere.
// Watch  A program with a mistake may reach one allocation through a pointer to another. Code that
//        relies on this analysis must therefore check each store at run time (as
//        checks/global_race.h does).
#pragma once

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// Returns the memory that a kernel's stores and atomics may write to. Must be called after
/// Kernel::sites has been filled in.
WrittenMemory find_written_memory(const Kernel& kernel);
/// Sets Site::pointer_offsets for the kernel's own accesses to global memory, but not for those of
/// the functions that the kernel calls.
void set_pointer_offsets(Kernel& kernel);

}  // namespace coalesce::simulator
