// Lowers PTX to Ops, the form in which the instructions of a kernel are executed.
//
// Idea   Most of what a kernel computes is the same for all threads of a block, or the same for
//        every block. Each register gets the cheapest class that is possible (value_classes.h), and
//        its instruction is moved to a prologue that runs once per launch, per block or per warp
//        position. The rest is the body. Its registers are packed into as few slots as are needed
//        at once (register_slots.h), so that a warp's registers stay in the host's first-level
//        cache.
#pragma once

#include <memory>

#include "simulator/code/function_code.h"

namespace coalesce::simulator {

/// Determines the positions of a kernel's parameters and shared variables, which is everything that
/// is known before it is lowered.
void describe_kernel(Kernel& kernel);

/// Sets kernel.code and kernel.sites, or kernel.error.
void lower(Kernel& kernel);
/// Lowers the kernel for plain mode, in addition to kernel.code, except for its accesses: they are
/// counted at the same sites. Returns null on failure.
std::shared_ptr<Kernel::Code> lower_plainly(Kernel& kernel);

/// Lowers the kernel for launches whose clusters have several blocks, in addition to kernel.code.
std::shared_ptr<Kernel::Code> lower_for_clusters(Kernel& kernel);

}  // namespace coalesce::simulator
