// PTX -> Ops. What a kernel's instructions become before they run.
//
// Idea   Most of what a kernel computes is the same for all threads of a block, or the same for
//        every block. Each register is put into the cheapest class that holds (value_classes.h),
//        and its instruction into a prologue that runs once per launch, per block or per warp
//        position. What remains is the body, with registers packed into as few slots as are needed
//        at once (register_slots.h), so that a warp's registers stay in the host's first-level
//        cache.
#pragma once

#include <memory>

#include "simulator/code/function_code.h"

namespace coalesce::simulator {

/// Places a kernel's parameters and shared variables: all that can be said of it before it is
/// lowered.
void describe_kernel(Kernel& kernel);

/// Fills kernel.code and kernel.sites, or sets kernel.error.
void lower(Kernel& kernel);
/// The same kernel as plain mode has it, beside kernel.code, except for its accesses: what is counted is counted at
/// the same sites. Null when it cannot be.
std::shared_ptr<Kernel::Code> lower_plainly(Kernel& kernel);

/// The same kernel for launches whose clusters have several blocks, likewise beside kernel.code.
std::shared_ptr<Kernel::Code> lower_for_clusters(Kernel& kernel);

}  // namespace coalesce::simulator
