// Finds kernels in which the threads that end without a barrier have done nothing.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Reports whether a thread that ends without having reached a barrier cannot have accessed memory.
/// The whole-block barriers of such a kernel need not wait for that thread: since Volta, a barrier
/// waits for the threads that have not exited (CUDA C++ Programming Guide, independent thread
/// scheduling). A thread that works on, past a barrier, is a mistake.
bool ends_early_without_work(const ptx::Function& function);

}  // namespace coalesce::simulator
