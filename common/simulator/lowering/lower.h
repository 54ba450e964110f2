// Lowers the PTX of a kernel to Ops, which the simulator executes.
//
// Idea   Most values that a kernel computes are the same for all threads of a block, or for every
//        block. Such a value is computed in a prologue, which runs only once per launch, once per
//        block, or once per warp position (value_classes.h). The remaining instructions are the
//        body. The body's registers are packed into as few slots as possible (register_slots.h), so
//        that a warp's registers stay in the host's L1 cache.
#pragma once

#include <memory>

#include "simulator/code/function_code.h"

namespace coalesce::simulator {

/// Sets the offsets of a kernel's parameters and shared variables. Must be called before the kernel
/// is lowered.
void lay_out_kernel(Kernel& kernel);

/// Lowers the kernel. Sets kernel.code and kernel.sites, or kernel.error if the kernel cannot be
/// lowered.
void lower_kernel(Kernel& kernel);
/// Lowers the kernel a second time, without optimizations, for the blocks that are recorded. The
/// accesses of these blocks are counted at the same sites as in kernel.code. Returns null on
/// failure.
std::shared_ptr<Kernel::Code> lower_for_recording(Kernel& kernel);

/// Lowers the kernel again for launches whose clusters contain several blocks. Returns null on
/// failure.
std::shared_ptr<Kernel::Code> lower_for_clusters(Kernel& kernel);

}  // namespace coalesce::simulator
