// Finds the memory that the stores and atomics of a kernel may write to, as far as this follows
// from its text: the objects that its pointers point to.
//
// Idea   An address is computed from a pointer, which is a parameter of the kernel or a variable.
//        Sums, moves and selections keep this property, and products, shifts and 32-bit memory
//        values do not. A store through a pointer that was loaded from memory may go anywhere.
// Watch  In C++, a program must not reach one allocation from a pointer to another, but nothing
//        prevents it. Code that relies on this analysis must still check each store (as
//        checks/global_race.h does).
#pragma once

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// Analyses a kernel whose sites are known.
WrittenMemory written_memory(const Kernel& kernel);

}  // namespace coalesce::simulator
