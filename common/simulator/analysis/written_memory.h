// Where a kernel's stores and atomics may go, as far as its text tells: to what its pointers point to.
//
// Idea   An address is computed from a pointer: a parameter of the kernel, or a variable. So is every register that
//        holds one; sums, moves and choices hand it on, products, shifts and 32 bits of memory do not. What is
//        stored through a pointer that came from memory may go anywhere.
// Watch  C++ lets no program reach one allocation from a pointer to another, but nothing stops it. Who relies on
//        this has to look at each store all the same (checks/global_race.h does).
#pragma once

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// Of a kernel whose sites are known.
WrittenMemory written_memory(const Kernel& kernel);

}  // namespace coalesce::simulator
