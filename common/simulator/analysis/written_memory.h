// Finds the objects to which a kernel's stores and atomics may write, by tracing each address in
// the PTX back to a pointer.
//
// Idea   An address is computed from a pointer, which is a parameter of the kernel or a variable.
//        The result of a sum, move or selection may still be an address; the result of a product or
//        shift, or a 32-bit value from memory, cannot. A store through a pointer that was loaded
//        from memory may write anywhere.
// Watch  In C++, a program must not reach one allocation from a pointer to another, but nothing
//        prevents it. Code that relies on this analysis must still check each store (as
//        checks/global_race.h does).
#pragma once

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// Returns the memory that a kernel's stores and atomics may write to. Must be called after the
/// kernel's `sites` have been filled in.
WrittenMemory written_memory(const Kernel& kernel);
/// Sets Site::pointers for global memory accesses of the kernel, but not of functions it calls.
void find_pointers(Kernel& kernel);

}  // namespace coalesce::simulator
